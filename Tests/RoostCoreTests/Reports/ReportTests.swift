import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Users report each other and messages; operators list and close reports. Other users don't learn of them.
@Suite struct ReportTests {
    let relay = RelayHarness(
        limits: .with {
            $0.reportsPerHour = 5
            $0.reportsMax = 7
        })
    let alice: HarnessClient
    let bob: HarnessClient
    let group: String

    init() {
        alice = relay.connect("alice")
        group = alice.makeGroup("bob", "carol")
        bob = relay.connect("bob")
        bob.post("b", to: group)
    }

    private func olga(_ token: String = "admin:olga") -> HarnessClient {
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"\#(token)","operator":true}"#)
        return client
    }

    private func report(_ client: HarnessClient, _ user: String) -> String {
        client.outcome("contact.report", ["user": "\(user)", "reason": "spam"])
    }

    private func numbers(_ page: JSONValue?) -> [Int64] {
        page?["reports"]?.list("list").compactMap { $0.number("report") } ?? []
    }

    @Test func operatorsAreToldWhatWasReported() {
        bob.forget()
        let said = alice.request("contact.report", ["user": "bob", "reason": "harassment", "text": "Writes at night"])
        #expect(said?.outcome == "ok")
        let message = alice.request(
            "contact.report", ["conversation": "\(group)", "sequence": 1, "reason": "illegal"])
        #expect(message?.outcome == "ok")
        let olga = olga()
        let page = olga.request("admin.reports")?["reports"]
        #expect(page?.number("open") == 2 && page?["next"] == nil)
        let list = page?.list("list") ?? []
        #expect(list.map { $0.text("reporter") } == ["alice", "alice"])
        #expect(list.map { $0.text("user") } == ["bob", "bob"])
        #expect(list.map { $0.text("reason") } == ["harassment", "illegal"])
        #expect(list.map { $0.text("text") } == ["Writes at night", nil])
        #expect(
            list.map { $0.text("conversation") } == [nil, group] && list.map { $0.number("sequence") } == [nil, 1])
        #expect(list.map { $0.text("state") } == ["open", "open"])
        #expect(bob.frames.isEmpty)
        #expect(relay.relay.counters.reports.made == 2 && relay.relay.counters.reports.open == 2)
    }

    private func shown(_ number: Int, _ olga: HarnessClient) -> JSONValue? {
        olga.request("admin.report.show", ["report": .init(integerLiteral: Int64(number))])?["reported"]
    }

    @Test func operatorsSeeTheMessageWithWhatWasSaidAroundIt() {
        for number in 2...12 { (number % 2 == 0 ? alice : bob).post("m\(number)", to: group) }
        _ = alice.request("profile.set", ["name": "Alice"])
        _ = alice.request("contact.report", ["conversation": "\(group)", "sequence": 7, "reason": "spam"])
        // It works after the reporter has blocked the reported user, and left, too.
        _ = alice.request("contact.block", ["users": ["bob"]])
        let olga = olga()
        for _ in 1...2 {
            let shown = shown(1, olga)
            #expect(shown?.list("messages").map { $0.number("sequence") } == (2...12).map { $0 })
            #expect(shown?.list("messages")[5].text("body") == "m7")
            #expect(shown?["report"]?.text("user") == "bob")
            #expect(shown?.list("people").first?.text("name") == "Alice")
            _ = alice.request("conversation.leave", ["conversation": "\(group)"])
        }
        let deeds = relay.relay.takeDeeds().map { "\($0.name) \($0.kind)" }
        #expect(deeds == ["olga readReport(1)", "olga readReport(1)"])
        #expect(olga.outcome("admin.report.show", ["report": 9]) == "not_found")
        #expect(alice.outcome("admin.report.show", ["report": 1]) == "forbidden")
        #expect(self.olga("service:mill").outcome("admin.report.show", ["report": 1]) == "ok")
    }

    @Test func aReporterWhoJoinedLaterDoesNotShowWhatWasBefore() {
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["dave"]])
        bob.post("after", to: group)
        let dave = relay.connect("dave")
        let sequence =
            dave.request("conversation.get", ["conversation": "\(group)"])?["conversation"]?
            .number("sequence") ?? 0
        _ = dave.request(
            "contact.report",
            ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence), "reason": "spam"])
        let messages = shown(1, olga())?.list("messages") ?? []
        let history = dave.request("history", ["conversation": "\(group)"])?.list("messages") ?? []
        #expect(messages.map { $0.number("sequence") } == history.map { $0.number("sequence") })
        #expect(!messages.isEmpty)
    }

    @Test func aReportedMessageIsRemovedAsItsAuthorCouldHave() {
        _ = alice.request("contact.report", ["conversation": "\(group)", "sequence": 1, "reason": "illegal"])
        _ = alice.request("contact.report", ["user": "carol", "reason": "other"])
        _ = bob.request("conversation.leave", ["conversation": "\(group)"])
        let olga = olga()
        alice.forget()
        #expect(olga.outcome("admin.report.remove", ["report": 1]) == "ok")
        let told = alice.frames("delete").first
        #expect(told?.text("from") == "bob" && told?.number("sequence") == 1)
        #expect(olga.outcome("admin.report.remove", ["report": 1]) == "ok")
        let message = shown(1, olga)?.list("messages").first
        #expect(message?["body"] == nil && message?.number("deletedAt") != nil)
        #expect(olga.outcome("admin.report.remove", ["report": 2]) == "bad_request")
        #expect(olga.outcome("admin.report.remove", ["report": 3]) == "not_found")
        #expect(alice.outcome("admin.report.remove", ["report": 1]) == "forbidden")
        #expect(relay.relay.takeDeeds().map { "\($0.kind)" }.contains("removeReported(1)"))
        // The whole conversation may go, too.
        _ = self.olga("service:mill").request("admin.erase", ["conversation": "\(group)"])
        let list = olga.request("admin.reports")?["reports"]?.list("list") ?? []
        #expect(list.first?["erased"] != nil && list.first?["group"] == nil)
        #expect(shown(1, olga)?["messages"] == nil)
        #expect(olga.outcome("admin.report.remove", ["report": 1]) == "gone")
    }

    @Test func aServiceClosesForAnOperatorWhomItNames() {
        _ = report(alice, "bob")
        #expect(olga().outcome("admin.report.close", ["report": 1, "by": "eve"]) == "forbidden")
        #expect(olga("service:mill").outcome("admin.report.close", ["report": 1, "by": "olga"]) == "ok")
        #expect(olga().request("admin.reports")?["reports"]?.list("list").first?.text("closedBy") == "olga")
    }

    @Test func aReportIsClosedOnceAndKeptOverARestart() {
        _ = report(alice, "bob")
        _ = report(alice, "carol")
        #expect(olga().outcome("admin.report.close", ["report": 1, "note": "Warned"]) == "ok")
        #expect(olga().outcome("admin.report.close", ["report": 1]) == "conflict")
        #expect(olga().outcome("admin.report.close", ["report": 9]) == "not_found")
        let deeds = relay.relay.takeDeeds().map { "\($0.name) \($0.kind)" }
        #expect(deeds == ["olga closeReport(1)"])
        relay.crash()
        let olga = olga()
        #expect(numbers(olga.request("admin.reports", ["state": "open"])) == [2])
        let closed = olga.request("admin.reports", ["state": "closed"])?["reports"]?.list("list").first
        #expect(closed?.text("closedBy") == "olga" && closed?.text("note") == "Warned")
        #expect((closed?.number("closedAt") ?? 0) >= (closed?.number("time") ?? 1))
        #expect(relay.relay.counters.reports.open == 1)
        // Numbers go on.
        #expect(report(relay.connect("alice"), "bob") == "ok")
        #expect(numbers(olga.request("admin.reports")) == [1, 2, 3])
    }

    @Test func pagesGoOnBehindEachOther() {
        for user in ["bob", "carol", "bob", "carol", "bob"] { _ = report(alice, user) }
        _ = olga().outcome("admin.report.close", ["report": 2])
        let olga = olga()
        let first = olga.request("admin.reports", ["limit": 2, "state": "open"])
        #expect(numbers(first) == [1, 3] && first?["reports"]?.number("next") == 3)
        let second = olga.request("admin.reports", ["limit": 2, "after": 3, "state": "open"])
        #expect(numbers(second) == [4, 5] && second?["reports"]?["next"] == nil)
        #expect(numbers(olga.request("admin.reports", ["after": 99])) == [])
    }

    @Test func aUserReportsOnlySoOftenInAnHour() {
        #expect((0..<6).map { _ in report(alice, "bob") } == Array(repeating: "ok", count: 5) + ["rate_limited"])
        let wait = alice.frames("error").last?.number("retryAfter") ?? 0
        #expect(wait > 60_000 && wait <= 720_000)
        relay.advance(wait)
        #expect(report(relay.connect("alice", "again"), "bob") == "ok")
        // A report of an unknown name counts as any other.
        let bob = relay.connect("bob", "again")
        #expect((0..<6).map { _ in report(bob, "nobody") } == Array(repeating: "ok", count: 5) + ["rate_limited"])
    }

    @Test func closedReportsMakeRoomAndOpenOnesDoNot() {
        for user in ["alice", "bob", "carol", "dave"] {
            let client = relay.connect(user)
            _ = (0..<2).map { _ in report(client, user == "alice" ? "bob" : "alice") }
        }
        let olga = olga()
        #expect(numbers(olga.request("admin.reports")) == Array(1...7))
        #expect(report(relay.connect("erin"), "bob") == "too_large")
        #expect(olga.outcome("admin.report.close", ["report": 3]) == "ok")
        #expect(report(relay.connect("erin"), "bob") == "ok")
        #expect(numbers(olga.request("admin.reports")) == [1, 2, 4, 5, 6, 7, 8])
        relay.crash()
        #expect(numbers(self.olga().request("admin.reports")) == [1, 2, 4, 5, 6, 7, 8])
    }

    @Test func onlyWhatOneMaySeeCanBeReported() {
        let dave = relay.connect("dave")
        let target: Members = ["conversation": "\(group)", "sequence": 1, "reason": "spam"]
        #expect(dave.outcome("contact.report", target) == "not_found")
        #expect(
            alice.outcome("contact.report", ["conversation": "\(group)", "sequence": 2, "reason": "spam"])
                == "not_found")
        #expect(bob.outcome("contact.report", target) == "bad_request")
        #expect(report(alice, "alice") == "bad_request")
        #expect(report(alice, "nobody") == "ok")
        #expect(relay.relay.directory.user(called: "nobody") == nil)
        for members in [["user": "bob"], ["user": "bob", "reason": "x"], ["reason": "spam"]] as [Members] {
            #expect(alice.outcome("contact.report", members) == "bad_request")
        }
        let long = String(repeating: "x", count: 1_025)
        let tooLong = alice.outcome("contact.report", ["user": "bob", "reason": "spam", "text": "\(long)"])
        #expect(tooLong == "too_large")
        #expect(numbers(olga().request("admin.reports")) == [])
    }

    @Test func textsAndNotesHaveABound() {
        let text = String(repeating: "x", count: Limits().reportTextBytes)
        #expect(alice.outcome("contact.report", ["user": "bob", "reason": "spam", "text": "\(text)"]) == "ok")
        #expect(
            alice.outcome("contact.report", ["user": "bob", "reason": "spam", "text": "\(text)x"]) == "too_large")
        let olga = olga()
        #expect(olga.outcome("admin.report.close", ["report": 1, "note": "\(text)x"]) == "too_large")
        #expect(olga.outcome("admin.report.close", ["report": 1, "note": "\(text)"]) == "ok")
    }

    @Test func usersMayNotLookAtReports() {
        #expect(alice.outcome("admin.reports") == "forbidden")
        #expect(alice.outcome("admin.report.close", ["report": 1]) == "forbidden")
        #expect(olga().outcome("contact.report", ["user": "bob", "reason": "spam"]) == "forbidden")
        #expect(olga("service:mill").outcome("admin.reports") == "ok")
    }

    /// A blocked user, or one who has left, can be reported all the same.
    @Test func aBlockDoesNotStopAReport() {
        _ = alice.outcome("contact.block", ["users": ["bob"]])
        #expect(report(alice, "bob") == "ok" && report(bob, "alice") == "ok")
        let hidden = alice.outcome("contact.report", ["conversation": "\(group)", "sequence": 1, "reason": "other"])
        #expect(hidden == "not_found")
    }
}
