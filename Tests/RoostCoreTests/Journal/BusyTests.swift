import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// The writer's queue is full, or the store has failed.
@Suite struct BusyTests {
    @Test func oneEventMoreThanTheQueueHoldsIsBusy() {
        let relay = RelayHarness(limits: .with { $0.pendingEvents = 3 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        alice.forget()
        relay.holdsCommits = true
        for number in 1...3 { alice.post("m\(number)", to: group) }
        #expect(alice.frames.isEmpty)
        #expect(relay.relay.pendingEvents == 3)
        let refused = alice.post("m4", to: group)
        #expect(refused?.text("code") == "busy")
        #expect(refused?.flag("retry") == true)
        #expect(refused?.number("retryAfter") == Limits().busyRetryMilliseconds)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.frames("ok").count == 3)
        #expect(alice.post("m4", to: group)?.number("sequence") == 4)
    }

    @Test func oneByteMoreThanTheQueueHoldsIsBusy() {
        let relay = RelayHarness(limits: .with { $0.pendingBytes = 20 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        relay.holdsCommits = true
        // Ten bytes each, with the quotation marks.
        alice.post("12345678", to: group)
        #expect(alice.outcome("send", ["to": "\(group)", "key": "k", "body": "123456789"]) == "busy")
        #expect(alice.outcome("send", ["to": "\(group)", "key": "k", "body": "12345678"]) == "nothing")
        #expect(alice.outcome("edit", ["conversation": "\(group)", "sequence": 1, "body": "x"]) == "busy")
    }

    @Test func aCommitThatTakesTooLongIsBusy() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        alice.post("m1", to: group)
        alice.forget()
        relay.holdsCommits = true
        alice.post("m2", to: group)
        relay.advance(Limits().stallMilliseconds - 1)
        #expect(!relay.relay.isStalled)
        relay.advance(1)
        #expect(relay.relay.isStalled)
        let refused = alice.post("m3", to: group)
        #expect(refused?.text("code") == "busy")
        #expect(refused?.number("retryAfter") == Limits().stallMilliseconds)
        // Queries still work.
        #expect(alice.request("history", ["conversation": "\(group)"])?.list("messages").count == 1)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.frames("ok").map { $0.number("sequence") ?? 0 }.contains(2))
        #expect(alice.post("m3", to: group)?.number("sequence") == 3)
    }

    @Test func whileACommitTakesTooLongOnlyKnownDevicesAreWelcome() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        relay.holdsCommits = true
        _ = alice.makeGroup()
        relay.advance(Limits().stallMilliseconds)
        for (user, device) in [("bob", "phone"), ("alice", "tablet")] {
            let refused = relay.connect(user, device)
            #expect(refused.codes == ["busy"])
            #expect(refused.frames("error").first?.number("retryAfter") == Limits().stallMilliseconds)
        }
        #expect(relay.connect("alice").session.isReady)
        relay.holdsCommits = false
        relay.settle()
        #expect(relay.connect("bob").session.isReady)
    }

    @Test(arguments: [
        "send", "edit", "delete", "react", "conversation.create", "conversation.rename", "conversation.add",
        "conversation.remove", "conversation.role", "conversation.leave",
    ])
    func everythingThatIsStoredIsRefused(type: String) {
        let relay = RelayHarness(limits: .with { $0.pendingEvents = 1 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        alice.post("one", to: group)
        let members: Members = [
            "to": "\(group)", "conversation": "\(group)", "key": "k", "body": "b", "sequence": 1, "reaction": "x",
            "kind": type == "send" ? "text" : "group", "name": "N", "users": ["bob"], "user": "bob", "role": "admin",
        ]
        relay.holdsCommits = true
        alice.post("two", to: group)
        #expect(alice.outcome(type, members) == "busy")
        relay.failCommit()
        #expect(alice.outcome(type, members) == "unavailable")
    }

    @Test func whenTheStoreFailsNothingUnderWayIsAckedOrTold() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        alice.post("one", to: group)
        alice.forget()
        bob.forget()
        relay.holdsCommits = true
        alice.post("two", to: group)
        alice.start("send", ["to": "@carol", "key": "three", "body": "b"], id: 2)
        alice.start("edit", ["conversation": "\(group)", "sequence": 1, "body": "b"], id: 3)
        alice.start("conversation.create", ["kind": "group", "name": "G"], id: 4)
        alice.start("conversation.create", ["kind": "direct", "members": ["dave"]], id: 5)
        relay.failCommit()
        #expect(alice.frames.map { $0.number("re") } == [1, 2, 3, 4, 5])
        #expect(alice.codes == Array(repeating: "unavailable", count: 5))
        #expect(bob.frames.isEmpty)
        #expect(!relay.relay.isServing)
    }

    @Test func storedMessagesCanBeReadAfterAStoreFailure() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        alice.post("one", to: group)
        relay.failCommit()
        #expect(alice.request("history", ["conversation": "\(group)"])?.list("messages").count == 1)
        #expect(relay.connect("bob").codes == ["unavailable"])
    }
}
