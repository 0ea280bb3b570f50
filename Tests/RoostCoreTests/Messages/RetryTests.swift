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
        let bob = relay.connect("bob")
        let one = alice.makeGroup("bob")
        let other = alice.makeGroup("bob")
        alice.post("hi", to: one)
        #expect(alice.post("hi", to: other)?.text("code") == "conflict")
        #expect(bob.bodies == ["hi"])
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

    /// Meanwhile a member is in so many conversations that a new one is refused.
    @Test func aRetryOfCreatingAGroupIsLookedUpBeforeItIsRefused() {
        let relay = RelayHarness(limits: .with { $0.conversationsPerUser = 1 })
        let alice = relay.connect("alice")
        _ = relay.connect("bob")
        let members: Members = ["kind": "group", "name": "Crew", "members": ["zoe", "bob"], "key": "g-1"]
        let first = alice.request("conversation.create", members)
        let retry = alice.request("conversation.create", members)
        #expect(retry?.flag("duplicate") == true)
        #expect(retry?.text("position") == first?.text("position"))
        #expect(retry?["conversation"]?.text("conversation") == first?["conversation"]?.text("conversation"))
        let others: [(Members, String)] = [
            // The group's former name isn't kept.
            (["kind": "group", "name": "Two", "members": ["zoe", "bob"], "key": "g-1"], "ok"),
            (["kind": "group", "name": "Crew", "members": ["bob"], "key": "g-1"], "conflict"),
            (["kind": "group", "name": "Crew", "members": ["bob"], "key": "g-2"], "too_large"),
            (["kind": "group", "name": "Crew", "members": ["bob"]], "too_large"),
        ]
        for (other, code) in others { #expect(alice.outcome("conversation.create", other) == code) }
    }

    @Test func aRetryOfCreatingAnErasedGroupGetsGone() {
        let alice = relay.connect("alice")
        _ = relay.connect("bob")
        let members: Members = ["kind": "group", "name": "Crew", "members": ["bob"], "key": "g-1"]
        let group = alice.request("conversation.create", members)?["conversation"]?.text("conversation") ?? ""
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(alice.outcome("conversation.create", members) == "gone")
    }

    /// Both have left the direct conversation, so it is erased. Then the first message is sent again.
    @Test func aRetryAfterTheEndOfADirectConversationIsNotDelivered() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        alice.post("hi", to: "@bob")
        for one in [alice, bob] {
            let other = one === alice ? "@bob" : "@alice"
            #expect(one.outcome("conversation.leave", ["conversation": "\(other)"]) == "ok")
        }
        #expect(relay.relay.counters.conversations == 0)
        let members: Members = ["to": "@bob", "key": "hi", "body": "hi"]
        let before = alice.frames.count
        #expect(alice.outcome("send", members) == "gone")
        #expect(bob.bodies == ["hi"])
        #expect(bob.events == ["created", "message", "left"])
        #expect(alice.frames.count == before + 1)
        #expect(relay.relay.counters.conversations == 0)
        // A new message begins a new conversation.
        alice.post("again", to: "@bob")
        #expect(bob.bodies == ["hi", "again"])
    }

    @Test func aKeyOfAnErasedGroupStaysUsed() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup()
        alice.post("hi", to: group)
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(alice.outcome("send", ["to": "\(group)", "key": "hi", "body": "hi"]) == "gone")
        #expect(alice.outcome("send", ["to": "@bob", "key": "hi", "body": "hi"]) == "gone")
        #expect(bob.events.isEmpty)
    }

    @Test func aRepeatedKeyMakesNothing() {
        let alice = relay.connect("alice")
        let stranger = relay.connect("stranger")
        alice.post("hi", to: "@bob")
        #expect(alice.post("hi", to: "@stranger")?.text("code") == "conflict")
        #expect(stranger.events.isEmpty)
        #expect(stranger.frames("presence").isEmpty)
        #expect(relay.relay.counters.conversations == 1)
    }

    /// The new message was sent before it was known that the one before is a retry, which opens no conversation.
    @Test func aNewMessageBehindARetryOpensTheConversation() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        alice.post("hi", to: "@carol")
        relay.holdsCommits = true
        alice.start("send", ["to": "@bob", "key": "hi", "body": "hi"], id: 1)
        relay.settle()
        alice.start("send", ["to": "@bob", "key": "b", "body": "b"], id: 2)
        alice.start("send", ["to": "@bob", "key": "c", "body": "c"], id: 3)
        bob.start("send", ["to": "@alice", "key": "d", "body": "d"], id: 4)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes == ["conflict"])
        #expect(bob.events == ["created", "message", "message"])
        #expect(bob.bodies == ["b", "c"])
        #expect(alice.bodies == ["d"])
        #expect(relay.relay.counters.conversations == 2)
    }

    /// Carol has left. A retry doesn't bring her back, and a new message behind it does.
    @Test func aRetryBringsNobodyBack() {
        let alice = relay.connect("alice")
        let carol = relay.connect("carol")
        alice.post("hi", to: "@carol")
        #expect(carol.outcome("conversation.leave", ["conversation": "@alice"]) == "ok")
        carol.forget()
        #expect(alice.post("hi", to: "@carol")?.flag("duplicate") == true)
        #expect(carol.frames.isEmpty)
        relay.holdsCommits = true
        alice.start("send", ["to": "@carol", "key": "hi", "body": "hi"], id: 1)
        alice.start("send", ["to": "@carol", "key": "b", "body": "b"], id: 2)
        relay.holdsCommits = false
        relay.settle()
        #expect(carol.events == ["added", "message"])
        #expect(carol.bodies == ["b"])
    }

    @Test func aKeyOfAnotherKindOfCommandIsAConflict() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group =
            alice.request(
                "conversation.create", ["kind": "group", "name": "Crew", "members": ["bob"], "key": "g"])?[
                "conversation"]?
            .text("conversation") ?? ""
        let reply = alice.request("send", ["to": "@bob", "key": "g", "body": "hi"])
        #expect(reply?.text("code") == "conflict")
        #expect(reply?.text("reason")?.contains("key") == true)
        #expect(bob.bodies.isEmpty)
        alice.post("m", to: group)
        let rename: Members = ["conversation": "\(group)", "name": "N", "key": "m"]
        #expect(alice.outcome("conversation.rename", rename) == "conflict")
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)", "key": "m"]) == "conflict")
        let create: Members = ["kind": "group", "name": "Two", "members": [], "key": "m"]
        #expect(alice.outcome("conversation.create", create) == "conflict")
        #expect(relay.relay.counters.conversations == 1)
        #expect(bob.events == ["created", "message"])
    }

    @Test func aKeyWithAnotherTextIsAConflict() {
        let alice = relay.connect("alice")
        let first = alice.post("hi", to: "@bob")
        #expect(alice.outcome("send", ["to": "@bob", "key": "hi", "body": "something else"]) == "conflict")
        #expect(alice.outcome("send", ["to": "@bob", "key": "hi", "body": "hi", "replyTo": 1]) == "conflict")
        expectSame(first, alice.request("send", ["to": "@bob", "key": "hi", "body": Value(json: #""\u0068i""#)]))
    }

    /// After a lost `ok`, each of these commands would be refused, or done twice.
    @Test func aRetriedChangeGetsItsFirstAnswer() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        let changes: [(String, Members)] = [
            ("conversation.rename", ["conversation": "\(group)", "name": "New", "key": "k1"]),
            ("conversation.add", ["conversation": "\(group)", "users": ["carol", "dave"], "key": "k2"]),
            ("conversation.remove", ["conversation": "\(group)", "users": ["carol"], "key": "k3"]),
            ("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "owner", "key": "k4"]),
            ("conversation.leave", ["conversation": "\(group)", "key": "k5"]),
        ]
        var first: [JSONValue?] = []
        for (type, members) in changes { first.append(alice.request(type, members)) }
        for ((type, members), first) in zip(changes, first) {
            let retry = alice.request(type, members)
            #expect(first?.text("type") == "ok" && first?.flag("duplicate") == nil)
            #expect(retry?.flag("duplicate") == true, "\(type)")
            #expect(retry?.text("position") == first?.text("position"))
            #expect(retry?.number("time") == first?.number("time"))
            #expect(retry?["sequence"] == nil && retry?["conversation"] == nil)
        }
        #expect(bob.events == ["created", "renamed", "added", "removed", "role", "left"])
        // With a new key, it is what it is now.
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)", "key": "new"]) == "not_found")
    }

    @Test func leavingAsTheLastMemberCanBeRetried() {
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        let leave: Members = ["conversation": "\(group)", "key": "l"]
        let first = alice.request("conversation.leave", leave)
        let retry = alice.request("conversation.leave", leave)
        #expect(retry?.flag("duplicate") == true)
        #expect(retry?.text("position") == first?.text("position"))
        let other = alice.makeGroup("bob")
        #expect(alice.outcome("conversation.leave", ["conversation": "\(other)", "key": "l"]) == "conflict")
        #expect(alice.outcome("conversation.rename", ["conversation": "\(other)", "name": "Here"]) == "ok")
    }

    /// The only member wants to leave with a key that was used before, so nothing ends.
    @Test func anEndThatIsRefusedIsUndone() {
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        alice.post("m", to: group)
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)", "key": "m"]) == "conflict")
        #expect(alice.post("still-here", to: group)?.text("type") == "ok")
        let direct = alice.makeDirect("bob")
        let bob = relay.connect("bob")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(direct)"]) == "ok")
        #expect(alice.outcome("conversation.leave", ["conversation": "\(direct)", "key": "m"]) == "conflict")
        #expect(alice.post("hello", to: "@bob")?.text("conversation") == direct)
        #expect(bob.bodies == ["hello"])
    }

    /// A user who left can't be shown the conversation any more, but the answer isn't that it is gone.
    @Test func aRetryOfCreatingALeftGroupSaysSo() {
        let alice = relay.connect("alice")
        let members: Members = ["kind": "group", "name": "Crew", "members": ["bob"], "key": "g-1"]
        let group = alice.request("conversation.create", members)?["conversation"]?.text("conversation") ?? ""
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        let retry = alice.request("conversation.create", members)
        #expect(retry?.text("code") == "gone")
        #expect(retry?.text("reason")?.contains("no longer in the conversation") == true)
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
