import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A retry never duplicates: the sender and the key name one event for ever.
@Suite struct RetryTests {
    let relay = RelayHarness()

    private func expectSame(_ first: JSONValue?, _ retry: JSONValue?) {
        #expect(first?.flag("duplicate") == nil)
        #expect(retry?.flag("duplicate") == true)
        #expect(first?.number("sequence") != nil)
        for member in ["conversation", "position"] { #expect(first?.text(member) == retry?.text(member)) }
        for member in ["sequence", "time"] { #expect(first?.number(member) == retry?.number(member)) }
    }

    @Test func aRetryGetsTheFirstReplyAndNobodyGetsTheMessageAgain() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let first = alice.post("hi", to: "@bob")
        alice.post("between", to: "@bob")
        relay.advance(8_000)
        expectSame(first, alice.post("hi", to: "@bob"))
        #expect(bob.bodies == ["hi", "between"])
        #expect(relay.relay.counters.duplicates == 1)
    }

    @Test func aRetryOfAMessageUnderWayIsFound() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        alice.forget()
        relay.holdsCommits = true
        alice.start("send", ["to": "\(group)", "key": "k", "body": "hi"], id: 1)
        relay.settle()
        alice.start("send", ["to": "\(group)", "key": "k", "body": "hi"], id: 2)
        relay.holdsCommits = false
        relay.settle()
        expectSame(alice.frames("ok").first, alice.frames("ok").last)
        #expect(bob.bodies == ["hi"])
    }

    /// The process died after the commit and before the reply.
    @Test func aRetryAfterACrashIsFound() {
        var alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        relay.holdsCommits = true
        alice.post("hi", to: group)
        #expect(alice.frames("ok").count == 1)
        relay.crash(isHeldBatchDurable: true)
        relay.holdsCommits = false
        alice = relay.connect("alice")
        #expect(alice.post("hi", to: group)?.flag("duplicate") == true)
        #expect(relay.connect("bob").bodies == ["hi"])
    }

    /// The process died before the commit, so the retry stores the message.
    @Test func aRetryStoresAMessageThatWasNotDurable() {
        var alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        relay.holdsCommits = true
        alice.post("hi", to: group)
        relay.crash()
        relay.holdsCommits = false
        alice = relay.connect("alice")
        #expect(alice.post("hi", to: group)?.flag("duplicate") == nil)
        #expect(relay.connect("bob").bodies == ["hi"])
    }

    @Test func differentSendersMayUseTheSameKey() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        alice.post("hi", to: "@bob")
        #expect(bob.post("hi", to: "@alice")?.flag("duplicate") == nil)
        #expect(alice.bodies == ["hi"])
    }

    @Test func aKeyIsTheSendersInAllConversations() {
        let alice = relay.connect("alice")
        let one = alice.makeGroup("bob")
        let other = alice.makeGroup("bob")
        let first = alice.post("hi", to: one)
        expectSame(first, alice.post("hi", to: other))
    }

    @Test func aRetryCreatesNoSecondGroup() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let members: Members = ["kind": "group", "name": "Crew", "members": ["bob"], "key": "g-1"]
        let first = alice.request("conversation.create", members)
        let retry = alice.request("conversation.create", members)
        #expect(first?.flag("duplicate") == nil)
        #expect(retry?.flag("duplicate") == true)
        #expect(retry?.text("position") == first?.text("position"))
        #expect(retry?["conversation"]?.text("conversation") == first?["conversation"]?.text("conversation"))
        #expect(bob.events == ["created"])
        #expect(relay.relay.counters.conversations == 1)
    }

    @Test func aRetryOfCreatingAnErasedGroupGetsGone() {
        let alice = relay.connect("alice")
        _ = relay.connect("bob")
        let members: Members = ["kind": "group", "name": "Crew", "members": ["bob"], "key": "g-1"]
        let group = alice.request("conversation.create", members)?["conversation"]?.text("conversation") ?? ""
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(alice.outcome("conversation.create", members) == "gone")
    }

    /// The reply was lost, and then the sender was removed. The sender can't write any more, but a retry still gets the
    /// first reply.
    @Test func aRetryAfterLeavingStillGetsTheFirstReply() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        let first = bob.post("hi", to: group)
        #expect(alice.outcome("conversation.remove", ["conversation": "\(group)", "users": ["bob"]]) == "ok")
        expectSame(first, bob.post("hi", to: group))
        #expect(bob.outcome("send", ["to": "\(group)", "key": "new", "body": "let me in"]) == "not_found")
        #expect(alice.bodies == ["hi"])
    }
}
