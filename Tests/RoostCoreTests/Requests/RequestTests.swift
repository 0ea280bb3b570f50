import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

extension RelayHarness {
    /// A relay whose gate lets a stranger's first message wait.
    static func withRequests(limits: Limits = Limits()) -> RelayHarness {
        RelayHarness(limits: limits, rules: RelayHarness.requestRules)
    }

    private static var requestRules: PolicyRules {
        var rules = PolicyRules()
        rules.gate = GateRules(.on)
        rules.gate.countsSharedGroups = false
        rules.gate.takesRequests = true
        return rules
    }

    /// Everything dies, and begins again with these rules.
    func crashWithRequests() {
        crash()
        relay.rules = RelayHarness.requestRules
    }
}

/// Strangers' first messages wait until they are accepted or dropped.
@Suite struct RequestTests {
    let relay = RelayHarness.withRequests()
    let alice: HarnessClient
    let bob: HarnessClient
    /// The conversation that alice has begun.
    let direct: String

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
        direct = alice.post("hello", to: "@bob")?.text("conversation") ?? ""
    }

    private func listed(_ client: HarnessClient, requests: Bool = false) -> [JSONValue] {
        let members: Members = requests ? ["requests": true] : [:]
        return client.request("conversation.list", members)?.list("conversations") ?? []
    }

    private func word(_ client: HarnessClient) -> String? {
        client.request("conversation.get", ["conversation": "\(direct)"])?["conversation"]?.text("request")
    }

    private func answer(_ client: HarnessClient, _ type: String) -> String {
        client.outcome("request.\(type)", ["conversation": "\(direct)"])
    }

    @Test func aFirstMessageWaitsApart() {
        #expect(bob.events == ["created", "message"])
        #expect(bob.frames("conversation").first?.flag("request") == true)
        #expect(listed(bob).isEmpty)
        let request = listed(bob, requests: true).first
        #expect(request?.text("request") == "received" && request?.number("unread") == 1)
        #expect(request?["message"]?.text("body") == "hello")
        #expect(listed(alice).first?.text("request") == "sent")
        #expect(listed(alice, requests: true).isEmpty)
        let members = relay.relay.directory.user(called: "bob")?.memberships ?? []
        #expect(members.map(\.counts) == [false])
    }

    /// A stranger doesn't fill the badge, on no device and at no start; who is accepted does.
    @Test func theBadgeCountsWhatIsAccepted() {
        relay.advance(1_000)
        #expect(bob.frames("badge").isEmpty)
        #expect(relay.connect("bob", "tablet").frames("welcome").last?.number("badge") == 0)
        #expect(answer(bob, "accept") == "ok")
        relay.advance(1_000)
        #expect(bob.frames("badge").map { $0.number("unread") } == [1])
    }

    /// Further commands of the sender are refused alike, whatever the receiver has done.
    @Test(arguments: ["waits", "dropped", "blocked"])
    func oneMessageIsAll(state: String) {
        if state == "dropped" { #expect(answer(bob, "drop") == "ok") }
        if state == "blocked" { #expect(bob.outcome("contact.block", ["users": ["alice"]]) == "ok") }
        bob.forget()
        let refusals = [
            alice.post("again", to: "@bob"), alice.post("again", to: direct),
            alice.request("edit", ["conversation": "\(direct)", "sequence": 1, "body": "x"]),
            alice.request("react", ["conversation": "\(direct)", "sequence": 1, "reaction": "x"]),
            alice.request("signal", ["to": "\(direct)", "body": "x"]),
        ]
        for refusal in refusals {
            #expect(refusal?.outcome == "no_relationship")
            #expect(refusal?.text("reason") == Refusal.noRelationship.reason)
        }
        #expect(alice.outcome("conversation.pin", ["conversation": "\(direct)", "sequence": 1]) != "ok")
        #expect(alice.outcome("conversation.expiry", ["conversation": "\(direct)", "after": 86_400_000]) != "ok")
        #expect(alice.outcome("conversation.create", ["kind": "group", "name": "x", "members": ["bob"]]) != "ok")
        #expect(alice.outcome("watch", ["users": ["bob"]]) != "ok")
        #expect(alice.outcome("watch", ["conversations": ["\(direct)"]]) == "no_relationship")
        #expect(bob.frames.isEmpty)
        // A retry has its first answer, and the author may take it back.
        #expect(alice.post("hello", to: "@bob")?.flag("duplicate") == true)
        #expect(alice.outcome("delete", ["conversation": "\(direct)", "sequence": 1]) == "ok")
    }

    @Test func twoMessagesAtOnceAreOneTooMany() {
        let carol = relay.connect("carol")
        carol.start("send", ["to": "@bob", "key": "1", "body": "1"], id: 1)
        carol.start("send", ["to": "@bob", "key": "2", "body": "2"], id: 2)
        relay.settle()
        #expect(carol.frames("error").map { $0.text("code") } == ["no_relationship"])
        #expect(bob.bodies == ["hello", "1"])
    }

    /// The sender gets nothing, whatever the receiver does before it accepts.
    @Test func theSenderIsToldNothing() {
        relay.pause()
        alice.forget()
        bob.send(#"{"type":"profile.set","id":1,"name":"Bob B."}"#)
        bob.tell("read", ["conversation": "\(direct)", "sequence": 1])
        bob.tell("typing", ["to": "\(direct)"])
        bob.tell("signal", ["to": "\(direct)", "body": "x"])
        let tablet = relay.connect("bob", "tablet")
        tablet.drop()
        bob.drop()
        relay.advance(30_000)
        #expect(alice.frames.isEmpty)
        let list = alice.request(
            "conversation.members", ["conversation": "\(direct)", "presence": true, "sequence": 1])
        let shown = list?.list("members").first { $0.text("user") == "bob" }
        #expect(shown?["read"] == nil && shown?["delivered"] == nil)
        #expect(shown?.text("state") == nil && shown?["lastSeen"] == nil)
        #expect(list?.number("readCount") == 0 && list?.number("deliveredCount") == 0)
        let receipts = alice.request("receipts", ["conversation": "\(direct)", "sequence": 1])
        #expect(receipts?.list("receipts").isEmpty == true)
        #expect(alice.request("conversation.list")?["people"] == nil)
        #expect(alice.request("user.get", ["users": ["bob"]])?.list("profiles").first?["name"] == nil)
        #expect(alice.request("user.find", ["prefix": "bob"])?.list("profiles").isEmpty == true)
    }

    @Test func theReceiverSeesWhoAsks() {
        let carol = relay.connect("carol")
        carol.send(#"{"type":"profile.set","id":1,"name":"Carol C."}"#)
        bob.forget()
        carol.post("hi", to: "@bob")
        relay.pause()
        #expect(bob.frames("profile").map { $0.text("name") } == ["Carol C."])
        #expect(bob.request("user.get", ["users": ["carol"]])?.list("profiles").first?.text("name") == "Carol C.")
        #expect(bob.frames("presence").isEmpty)
    }

    /// Bob has invited Alice, and blocked her since: that both are contacts by her invitation shows him nothing, and
    /// her what it would show without the block.
    @Test(arguments: [false, true]) func anInvitationOfSomebodyBlockedShowsNothing(isBlocked: Bool) {
        #expect(bob.outcome("contact.invite", ["user": "alice"]) == "ok")
        if isBlocked { #expect(bob.outcome("contact.block", ["users": ["alice"]]) == "ok") }
        relay.pause()
        for client in [alice, bob] { client.forget() }
        #expect(alice.request("contact.invite", ["user": "bob"])?["contact"]?.text("state") == "accepted")
        relay.pause()
        #expect(alice.events == ["accepted"] && alice.frames("conversation").last?.text("by") == "alice")
        #expect(bob.events == (isBlocked ? [] : ["accepted"]))
    }

    @Test func acceptingMakesItAConversation() {
        let tablet = relay.connect("bob", "tablet")
        for client in [alice, tablet] { client.forget() }
        #expect(answer(alice, "accept") == "conflict")
        let accepted = bob.request("request.accept", ["conversation": "\(direct)"])
        #expect(accepted?.outcome == "ok" && accepted?["position"] != nil)
        #expect(alice.events == ["accepted"] && tablet.events == ["accepted"])
        #expect(alice.frames("conversation").last?.text("by") == "bob")
        #expect(word(bob) == nil && word(alice) == nil)
        #expect(listed(bob).count == 1 && listed(bob, requests: true).isEmpty)
        alice.forget()
        #expect(alice.post("again", to: "@bob")?.outcome == "ok")
        bob.tell("typing", ["to": "\(direct)"])
        bob.tell("read", ["conversation": "\(direct)", "sequence": 2])
        relay.pause()
        #expect(!alice.frames("typing").isEmpty && !alice.frames("receipt").isEmpty)
        bob.drop()
        tablet.drop()
        relay.advance(30_000)
        #expect(!alice.frames("presence").isEmpty)
        // It makes no contact, but they know each other now.
        #expect(alice.outcome("conversation.create", ["kind": "group", "name": "x", "members": ["bob"]]) == "ok")
        #expect(alice.request("contact.list")?.list("contacts").isEmpty == true)
    }

    @Test(arguments: ["send", "react", "expiry", "contact"])
    func answeringAcceptsToo(how: String) {
        switch how {
        case "send": bob.post("hi", to: "@alice")
        case "react": _ = bob.request("react", ["conversation": "\(direct)", "sequence": 1, "reaction": "x"])
        case "expiry": _ = bob.request("conversation.expiry", ["conversation": "\(direct)", "after": 86_400_000])
        default: relay.acquaint(bob, alice)
        }
        #expect(alice.post("again", to: "@bob")?.outcome == "ok")
        #expect(word(bob) == nil && answer(bob, "accept") == "conflict")
        relay.crashWithRequests()
        #expect(listed(relay.connect("bob")).count == 1)
    }

    @Test func droppingHidesItFromOneOnly() {
        let tablet = relay.connect("bob", "tablet")
        for client in [alice, tablet] { client.forget() }
        #expect(answer(bob, "drop") == "ok")
        let told = tablet.frames("state").first
        #expect(told?.text("key") == "@requests" && told?.text("value") == direct)
        #expect(alice.frames.isEmpty && word(alice) == "sent")
        #expect(listed(bob).isEmpty && listed(bob, requests: true).isEmpty)
        #expect(word(bob) == "dropped")
        // Again, it changes nothing; a device that was away gets it later.
        #expect(bob.request("request.drop", ["conversation": "\(direct)"])?.flag("duplicate") == true)
        let watch = relay.connect("bob", "watch")
        #expect(watch.events.contains("state"))
        // A receiver who dropped it may still answer.
        #expect(bob.post("well", to: "@alice")?.outcome == "ok")
        #expect(word(alice) == nil)
    }

    @Test(arguments: [false, true])
    func waitingRequestsSurviveACrash(isDropped: Bool) {
        if isDropped { #expect(answer(bob, "drop") == "ok") }
        relay.crashWithRequests()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(word(alice) == "sent" && word(bob) == (isDropped ? "dropped" : "received"))
        #expect(alice.post("again", to: "@bob")?.outcome == "no_relationship")
        bob.forget()
        #expect(alice.outcome("watch", ["users": ["bob"]]) == "no_relationship")
        #expect(answer(bob, "accept") == "ok")
        relay.crashWithRequests()
        #expect(relay.connect("alice").post("again", to: "@bob")?.outcome == "ok")
    }

    /// Leaving notifies the other, so the receiver can't; the sender can, and gets nothing by it.
    @Test func leavingIsNoWayAround() {
        #expect(bob.outcome("conversation.leave", ["conversation": "\(direct)"]) == "conflict")
        #expect(alice.outcome("conversation.leave", ["conversation": "\(direct)"]) == "ok")
        #expect(alice.post("again", to: "@bob")?.outcome == "no_relationship")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(direct)"]) == "ok")
        #expect(relay.relay.directory.user(called: "bob")?.contacts.requests.received == 0)
    }

    @Test func onlyAMessageWaits() {
        let carol = relay.connect("carol")
        let create: Members = ["kind": "direct", "members": ["bob"]]
        #expect(carol.outcome("conversation.create", create) == "no_relationship")
        #expect(carol.outcome("conversation.create", ["kind": "direct", "members": ["nobody"]]) == "no_relationship")
        #expect(relay.relay.directory.user(called: "nobody") == nil)
        #expect(alice.outcome("conversation.create", create) == "ok")
        #expect(carol.outcome("state.set", ["key": "@requests", "value": 1]) == "bad_request")
    }

    /// A receiver who accepts pays for all recipients, and one who drops for its own devices: here all that may be
    /// spent.
    @Test(arguments: ["accept", "drop"])
    func answersCostByThoseWhoAreTold(type: String) {
        let relay = RelayHarness.withRequests(limits: .with { $0.commandsPerSecond = 1 })
        let alice = relay.connect("alice")
        let devices = (0..<10).map { relay.connect("bob", "d\($0)") }
        relay.advance(20_000)
        let direct = alice.post("hello", to: "@bob")?.text("conversation") ?? ""
        relay.advance(3_000)
        #expect(devices[0].outcome("request.\(type)", ["conversation": "\(direct)"]) == "ok")
        #expect(devices[0].outcome("ping") == "rate_limited")
    }

    @Test func aFullDiskTakesNoMessageAway() {
        let carol = relay.connect("carol")
        relay.fillDisk()
        #expect(carol.post("hi", to: "@bob")?.outcome == "unavailable")
        relay.makeRoom()
        relay.pause()
        #expect(carol.post("hi", to: "@bob")?.outcome == "ok")
    }
}

/// Requests count against their senders, and never against their receivers.
@Suite struct RequestLimitTests {
    private var limits: Limits {
        var limits = Limits()
        limits.requestsPerUser = 2
        return limits
    }

    @Test func tooManyThatNobodyAccepts() {
        let relay = RelayHarness.withRequests(limits: limits)
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let first = alice.post("1", to: "@bob")?.text("conversation") ?? ""
        #expect(alice.post("2", to: "@carol")?.outcome == "ok")
        #expect(alice.post("3", to: "@dave")?.outcome == "too_large")
        #expect(relay.relay.directory.user(called: "dave") == nil)
        // A dropped request counts, also after a restart; an accepted one doesn't.
        #expect(bob.outcome("request.drop", ["conversation": "\(first)"]) == "ok")
        relay.crashWithRequests()
        let again = relay.connect("alice")
        #expect(again.post("3", to: "@dave")?.outcome == "too_large")
        #expect(relay.connect("bob").outcome("request.accept", ["conversation": "\(first)"]) == "ok")
        #expect(again.post("3", to: "@dave")?.outcome == "ok")
        #expect(again.post("4", to: "@erin")?.outcome == "too_large")
        // They count for thirty days.
        relay.sleep(limits.requestMilliseconds + 1)
        #expect(relay.connect("alice", "other").post("4", to: "@erin")?.outcome == "ok")
    }

    /// However many users write to one, nothing of its own quota is used up.
    @Test func requestsUseUpNothingOfTheReceivers() {
        var limits = limits
        limits.conversationsPerUser = 3
        limits.unansweredPerUser = 3
        limits.membershipsPerUser = 3
        limits.requestsPerUser = 3
        let relay = RelayHarness.withRequests(limits: limits)
        let bob = relay.connect("bob")
        for number in 1...8 {
            let sender = relay.connect("s\(number)")
            #expect(sender.post("hi", to: "@bob")?.outcome == "ok")
            #expect(sender.post("ho", to: "@bob")?.outcome == "no_relationship")
        }
        for number in 1...3 { #expect(bob.post("\(number)", to: "@x\(number)")?.outcome == "ok") }
        let user = relay.relay.directory.user(called: "bob")
        #expect(user?.contacts.requests.received == 8 && user?.unanswered == 3)
        #expect(bob.request("conversation.list", ["requests": true, "limit": 5])?.list("conversations").count == 5)
        #expect(bob.request("conversation.list")?.list("conversations").count == 3)
    }
}
