import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `conversation.ban`, `.unban`, `.bans`, `.timeout`, `.posting` and `.slow`: who may be in a group and write in it.
@Suite struct ModerationTests {
    private let relay: RelayHarness
    private let alice: HarnessClient
    private let bob: HarnessClient
    private let group: String

    init() { (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol") }

    private func ban(_ user: String, by client: HarnessClient) -> JSONValue? {
        client.request("conversation.ban", ["conversation": "\(group)", "user": "\(user)", "reason": "spam"])
    }

    private func unban(_ user: String, by client: HarnessClient) -> JSONValue? {
        client.request("conversation.unban", ["conversation": "\(group)", "user": "\(user)"])
    }

    private func timeOut(_ user: String, for time: Int64, by client: HarnessClient) -> JSONValue? {
        client.request(
            "conversation.timeout",
            ["conversation": "\(group)", "user": "\(user)", "after": .init(integerLiteral: time), "reason": "other"])
    }

    private func setPosting(_ rule: String, by client: HarnessClient) -> JSONValue? {
        client.request("conversation.posting", ["conversation": "\(group)", "posting": "\(rule)"])
    }

    private func add(_ user: String, by client: HarnessClient) -> String {
        client.outcome("conversation.add", ["conversation": "\(group)", "users": ["\(user)"]])
    }

    private func bans(_ client: HarnessClient) -> [String]? {
        client.request("conversation.bans", ["conversation": "\(group)"])?.list("bans").compactMap { $0.text("user") }
    }

    private func object(_ client: HarnessClient) -> JSONValue? {
        client.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
    }

    /// The outcomes of a client's commands that write in the group.
    private func attempts(_ client: HarnessClient, _ key: String) -> [String: String] {
        [
            "send": client.post(key, to: group)?.outcome ?? "nothing",
            "edit": client.outcome("edit", ["conversation": "\(group)", "sequence": 1, "body": "\(key)"]),
            "react": client.outcome("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"]),
            "signal": client.outcome("signal", ["to": "\(group)", "body": 1]),
            "typing": client.outcome("typing", ["to": "\(group)"]),
        ]
    }

    @Test("a banned member leaves, is told why, and can't be added until unbanned")
    func banned() {
        #expect(ban("bob", by: alice)?.text("position") != nil)
        let told = bob.frames("conversation").last
        #expect(told?.text("event") == "removed" && told?.flag("banned") == true && told?.text("reason") == "spam")
        #expect(told?.list("users").map(\.string) == ["bob"] && told?.text("by") == "alice")
        #expect(bob.outcome("conversation.get", ["conversation": "\(group)"]) == "not_found")
        #expect(bob.post("here", to: group)?.outcome == "not_found")
        #expect(add("bob", by: alice) == "conflict" && bans(alice) == ["bob"])
        #expect(unban("bob", by: alice)?.text("position") != nil && bans(alice) == [])
        #expect(add("bob", by: alice) == "ok")
        #expect(bob.post("back", to: group)?.outcome == "ok")
    }

    @Test("who has left can be banned, which the others are told, and who never came can't")
    func bannedAfterLeaving() {
        #expect(bob.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        let carol = relay.connect("carol")
        _ = relay.connect("dave")
        bob.forget()
        #expect(ban("bob", by: alice)?.text("position") != nil)
        #expect(carol.frames("conversation").last?.text("event") == "banned")
        #expect(carol.frames("conversation").last?.text("user") == "bob")
        #expect(bob.frames("conversation").isEmpty)
        #expect(add("bob", by: alice) == "conflict")
        #expect(ban("dave", by: alice)?.outcome == "not_found")
        #expect(ban("nobody", by: alice)?.outcome == "not_found")
    }

    @Test("what is so already is answered as a duplicate, and stored once")
    func repeated() {
        #expect(ban("bob", by: alice)?.flag("duplicate") == nil)
        #expect(ban("bob", by: alice)?.flag("duplicate") == true)
        #expect(unban("bob", by: alice)?.flag("duplicate") == nil)
        #expect(unban("bob", by: alice)?.outcome == "not_found")
        #expect(setPosting("all", by: alice)?.flag("duplicate") == true)
        #expect(setPosting("admins", by: alice)?.flag("duplicate") == nil)
        #expect(setPosting("admins", by: alice)?.flag("duplicate") == true)
        #expect(timeOut("carol", for: 0, by: alice)?.flag("duplicate") == true)
    }

    @Test("a timed-out member reads, and nothing that it writes is taken until the time is over")
    func timedOut() {
        bob.post("first", to: group)
        let until = relay.now.wall.milliseconds + 5_000
        #expect(timeOut("bob", for: 5_000, by: alice)?.text("position") != nil)
        let told = bob.frames("conversation").last
        #expect(told?.text("event") == "timeout" && told?.text("user") == "bob" && told?.number("until") == until)
        #expect(told?.text("reason") == "other")
        #expect(object(bob)?["timeout"]?.number("until") == until && object(alice)?["timeout"] == nil)
        let refused = attempts(bob, "a")
        #expect(refused.values.allSatisfy { $0 == "forbidden" }, "\(refused)")
        #expect(bob.outcome("history", ["conversation": "\(group)"]) == "ok")
        #expect(bob.outcome("delete", ["conversation": "\(group)", "sequence": 1]) == "ok")
        alice.post("onward", to: group)
        #expect(bob.bodies.last == "onward")
        relay.advance(4_999)
        #expect(bob.post("b", to: group)?.outcome == "forbidden")
        relay.advance(1)
        #expect(bob.post("b", to: group)?.outcome == "ok")
        #expect(timeOut("bob", for: 60_000, by: alice)?.outcome == "ok")
        #expect(bob.post("c", to: group)?.outcome == "forbidden")
        #expect(timeOut("bob", for: 0, by: alice)?.text("position") != nil)
        #expect(bob.frames("conversation").last?["until"] == nil && object(bob)?["timeout"] == nil)
        #expect(bob.post("c", to: group)?.outcome == "ok")
    }

    @Test("an admin deletes what others wrote and says why, which the author is told, also later")
    func removed() {
        bob.post("bad", to: group)
        bob.drop()
        let carol = relay.connect("carol")
        let delete: Members = ["conversation": "\(group)", "sequence": 1, "reason": "harassment"]
        #expect(carol.outcome("delete", delete) == "forbidden")
        #expect(carol.outcome("contact.block", ["users": ["alice"]]) == "ok")
        #expect(alice.outcome("delete", ["conversation": "\(group)", "sequence": 1, "reason": "x"]) == "bad_request")
        #expect(alice.request("delete", delete)?.text("position") != nil)
        #expect(alice.request("delete", delete)?.flag("duplicate") == true)
        let told = relay.connect("bob").frames("delete").last
        #expect(told?.text("from") == "alice" && told?.text("reason") == "harassment")
        // A member who has blocked the admin gets the placeholder, and not the reason.
        let place = carol.frames("delete").last
        #expect(place?.flag("hidden") == true && place?["reason"] == nil)
    }

    @Test("a retry of what was sent before the time-out gets its first answer")
    func retried() {
        let first = bob.post("m", to: group)
        #expect(timeOut("bob", for: 60_000, by: alice)?.outcome == "ok")
        let again = bob.post("m", to: group)
        #expect(again?.flag("duplicate") == true && again?.number("sequence") == first?.number("sequence"))
    }

    @Test("a time-out ends neither by leaving and coming back, nor by a crash")
    func lasting() {
        #expect(timeOut("bob", for: 60_000, by: alice)?.outcome == "ok")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(add("bob", by: alice) == "ok")
        #expect(bob.post("x", to: group)?.outcome == "forbidden")
        relay.crash()
        #expect(relay.connect("bob").post("x", to: group)?.outcome == "forbidden")
        relay.advance(60_000)
        #expect(relay.connect("bob").post("x", to: group)?.outcome == "ok")
    }

    @Test("in a group for announcements only owner and admins write; others read, react and delete")
    func announcements() {
        bob.post("before", to: group)
        #expect(setPosting("admins", by: bob)?.outcome == "forbidden")
        #expect(setPosting("admins", by: alice)?.text("position") != nil)
        #expect(bob.frames("conversation").last?.text("posting") == "admins")
        #expect(object(bob)?.text("posting") == "admins")
        var refused = attempts(bob, "a")
        #expect(refused.removeValue(forKey: "react") == "ok")
        #expect(refused.values.allSatisfy { $0 == "forbidden" }, "\(refused)")
        #expect(alice.post("news", to: group)?.outcome == "ok" && bob.bodies.last == "news")
        #expect(bob.outcome("delete", ["conversation": "\(group)", "sequence": 1]) == "ok")
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "admin"])
        #expect(bob.post("admin", to: group)?.outcome == "ok")
        relay.crash()
        #expect(relay.connect("carol").post("mine", to: group)?.outcome == "forbidden")
        #expect(setPosting("all", by: relay.connect("bob"))?.text("position") != nil)
        #expect(object(relay.connect("carol"))?["posting"] == nil)
        #expect(relay.connect("carol").post("mine", to: group)?.outcome == "ok")
    }

    @Test("nobody restricts who is as high, and a timed-out admin can't lift its own time-out")
    func ranks() {
        let carol = relay.connect("carol")
        for user in ["bob", "carol"] {
            _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "\(user)", "role": "admin"])
        }
        for user in ["alice", "carol"] {
            #expect(ban(user, by: bob)?.outcome == "forbidden")
            #expect(timeOut(user, for: 60_000, by: bob)?.outcome == "forbidden")
        }
        #expect(ban("bob", by: bob)?.outcome == "bad_request")
        #expect(timeOut("bob", for: 60_000, by: alice)?.outcome == "ok")
        #expect(timeOut("bob", for: 0, by: bob)?.outcome == "forbidden")
        #expect(timeOut("bob", for: 0, by: carol)?.outcome == "forbidden")
        for (verb, members): (String, Members) in [
            ("rename", ["conversation": "\(group)", "name": "Mine"]),
            ("posting", ["conversation": "\(group)", "posting": "all"]),
            ("slow", ["conversation": "\(group)", "after": 0]),
            ("add", ["conversation": "\(group)", "users": ["carol"]]),
            ("expiry", ["conversation": "\(group)", "after": 0]),
        ] {
            #expect(bob.outcome("conversation.\(verb)", members) == "forbidden", "\(verb)")
        }
        // A new owner is freed: no other member could lift it.
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(bob.post("mine", to: group)?.outcome == "ok")
        let direct = bob.makeDirect("carol")
        #expect(bob.outcome("conversation.ban", ["conversation": "\(direct)", "user": "carol"]) == "conflict")
    }

    @Test(
        "only who may ban sees who is banned, and others are answered alike whether somebody is",
        arguments: [false, true])
    func listed(isBanned: Bool) {
        if isBanned { _ = ban("carol", by: alice) }
        let dave = relay.connect("dave")
        for (verb, members): (String, Members) in [
            ("bans", ["conversation": "\(group)"]), ("ban", ["conversation": "\(group)", "user": "carol"]),
            ("unban", ["conversation": "\(group)", "user": "carol"]),
            ("timeout", ["conversation": "\(group)", "user": "carol", "after": 1_000]),
            ("posting", ["conversation": "\(group)", "posting": "all"]),
            ("slow", ["conversation": "\(group)", "after": 1_000]),
        ] {
            let reasons = [bob, dave].map { $0.request("conversation.\(verb)", members)?.outcome }
            #expect(reasons == ["forbidden", "not_found"], "\(verb)")
        }
    }

    @Test("commands are judged by what is under way")
    func underWay() {
        relay.holdsCommits = true
        alice.start("conversation.timeout", ["conversation": "\(group)", "user": "bob", "after": 60_000], id: 7)
        bob.start("send", ["to": "\(group)", "key": "k", "body": "late"], id: 8)
        alice.start("conversation.ban", ["conversation": "\(group)", "user": "carol"], id: 9)
        alice.start("conversation.add", ["conversation": "\(group)", "users": ["carol"]], id: 10)
        relay.holdsCommits = false
        relay.settle()
        #expect(bob.frames("error").last?.text("code") == "forbidden")
        #expect(alice.frames("error").last?.text("code") == "conflict")
        #expect(bob.bodies.isEmpty && object(alice)?.number("count") == 2)
    }

    @Test("a page of banned users goes on where the one before ended")
    func paged() {
        for user in ["bob", "carol"] { _ = ban(user, by: alice) }
        let first = alice.request("conversation.bans", ["conversation": "\(group)", "limit": 1])
        #expect(first?.list("bans").map { $0.text("user") } == ["bob"] && first?.text("next") == "bob")
        #expect(first?.list("bans").first?.text("by") == "alice")
        let rest = alice.request("conversation.bans", ["conversation": "\(group)", "after": "bob"])
        #expect(rest?.list("bans").map { $0.text("user") } == ["carol"] && rest?["next"] == nil)
        let wrong = alice.outcome("conversation.bans", ["conversation": "\(group)", "after": "nobody"])
        #expect(wrong == "bad_request")
    }

    @Test("a group has so many restrictions, and those that are over make room")
    func bounded() {
        let limits = Limits.with { $0.restrictionsPerGroup = 2 }
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob("carol", "dave", limits: limits)
        func timeOut(_ user: String, _ time: Int64) -> String {
            alice.outcome(
                "conversation.timeout",
                ["conversation": "\(group)", "user": "\(user)", "after": .init(integerLiteral: time)])
        }
        func ban(_ user: String) -> String {
            alice.outcome("conversation.ban", ["conversation": "\(group)", "user": "\(user)"])
        }
        #expect(timeOut("bob", 60_000) == "ok" && ban("carol") == "ok")
        #expect(timeOut("dave", 60_000) == "too_large" && ban("dave") == "too_large")
        #expect(timeOut("bob", 60_000) == "ok" && ban("bob") == "ok")
        #expect(alice.outcome("conversation.unban", ["conversation": "\(group)", "user": "bob"]) == "ok")
        #expect(timeOut("dave", 1_000) == "ok" && ban("bob") == "too_large")
        relay.advance(1_000)
        #expect(ban("bob") == "ok")
    }
}
