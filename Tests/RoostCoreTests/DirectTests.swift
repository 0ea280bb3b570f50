import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Direct conversations: one per pair, hidden by leaving, brought back by writing.
@Suite struct DirectTests {
    let relay = RelayHarness()
    let alice: HarnessClient
    let bob: HarnessClient

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
    }

    private func history(_ client: HarnessClient, with peer: String) -> [String]? {
        client.request("history", ["conversation": "@\(peer)"])?["messages"]?.elements?.compactMap { $0.text("body") }
    }

    private func leave(_ client: HarnessClient, _ peer: String) {
        #expect(client.outcome("conversation.leave", ["conversation": "@\(peer)"]) == "ok")
    }

    @Test func theFirstMessageCreatesADirectConversation() {
        let reply = alice.post("hi", to: "@bob")
        #expect(bob.events == ["created", "message"])
        #expect(alice.events == ["created"])
        #expect(reply?.number("sequence") == 1)
        let created = bob.frames("conversation").first
        #expect(created?.text("conversation") == reply?.text("conversation"))
        #expect(created?.text("kind") == "direct")
        #expect(created?["members"]?.elements?.compactMap(\.string) == ["alice", "bob"])
    }

    @Test func thereIsOneDirectConversationForEachPair() {
        let first = alice.makeDirect("bob")
        let again = bob.request("conversation.create", ["kind": "direct", "members": ["alice"]])
        #expect(again?.flag("duplicate") == true)
        #expect(again?["conversation"]?.text("conversation") == first)
        #expect(alice.post("hi", to: "@bob")?.text("conversation") == first)
        #expect(relay.relay.counters.conversations == 1)
    }

    @Test func bothMayAskAtOnce() {
        relay.holdsCommits = true
        alice.start("conversation.create", ["kind": "direct", "members": ["bob"]])
        bob.start("conversation.create", ["kind": "direct", "members": ["alice"]])
        relay.settle()
        #expect(alice.frames("ok").isEmpty && bob.frames("ok").isEmpty)
        relay.holdsCommits = false
        relay.settle()
        let made = alice.frames("ok").last?["conversation"]?.text("conversation")
        #expect(made != nil)
        #expect(bob.frames("ok").last?["conversation"]?.text("conversation") == made)
        #expect(bob.frames("ok").last?.flag("duplicate") == true)
    }

    @Test func everybodyWhoAskedIsAnsweredWhenTheStoreFails() {
        relay.holdsCommits = true
        alice.start("conversation.create", ["kind": "direct", "members": ["bob"]])
        bob.start("conversation.create", ["kind": "direct", "members": ["alice"]])
        relay.settle()
        relay.failCommit()
        relay.settle()
        #expect(alice.codes == ["unavailable"])
        #expect(bob.codes == ["unavailable"])
    }

    @Test func everybodyWhoAsksGetsTheSameConversation() {
        relay.holdsCommits = true
        alice.start("conversation.create", ["kind": "direct", "members": ["bob"]])
        for id in 1...65 { bob.start("conversation.create", ["kind": "direct", "members": ["alice"]], id: id) }
        relay.settle()
        relay.holdsCommits = false
        relay.settle()
        let made = alice.frames("ok").last?["conversation"]?.text("conversation")
        #expect(bob.frames("ok").map { $0["conversation"]?.text("conversation") } == Array(repeating: made, count: 65))
        #expect(bob.frames("ok").allSatisfy { $0.flag("duplicate") == true })
        #expect(bob.events == ["created"])
    }

    /// Whether the conversation ends isn't known before the log has looked for the key.
    @Test func whileAnEndIsUncertainTheOthersWait() {
        alice.post("before", to: "@bob")
        leave(bob, "alice")
        relay.holdsCommits = true
        alice.start("conversation.leave", ["conversation": "@bob", "key": "before"])
        #expect(bob.outcome("send", ["to": "@alice", "key": "b", "body": "b"]) == "busy")
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes == ["conflict"])
        #expect(bob.outcome("send", ["to": "@alice", "key": "b", "body": "b"]) == "ok")
        #expect(alice.bodies == ["b"])
        #expect(relay.relay.counters.conversations == 1)
    }

    @Test func bothMayWriteAtOnce() {
        alice.start("send", ["to": "@bob", "key": "a", "body": "from-alice"])
        bob.start("send", ["to": "@alice", "key": "b", "body": "from-bob"])
        relay.settle()
        #expect(alice.frames("ok").first?.number("sequence") == 1)
        #expect(bob.frames("ok").first?.number("sequence") == 2)
        #expect(alice.bodies == ["from-bob"])
        #expect(bob.bodies == ["from-alice"])
        #expect(relay.relay.counters.conversations == 1)
    }

    @Test func aDirectConversationNeedsAnotherUser() {
        #expect(alice.outcome("conversation.create", ["kind": "direct", "members": ["alice"]]) == "bad_request")
        #expect(alice.outcome("history", ["conversation": "@alice"]) == "not_found")
        #expect(alice.outcome("history", ["conversation": "@nobody"]) == "not_found")
    }

    @Test(arguments: ["conversation.rename", "conversation.add", "conversation.remove", "conversation.role"])
    func aDirectConversationCannotBeChanged(type: String) {
        _ = alice.makeDirect("bob")
        let members: Members = [
            "conversation": "@bob", "name": "N", "users": ["bob"], "user": "bob", "role": "admin",
        ]
        #expect(alice.outcome(type, members) == "conflict")
    }

    @Test func leavingHidesTheConversationFromTheOneWhoLeft() {
        alice.post("hi", to: "@bob")
        leave(bob, "alice")
        #expect(history(bob, with: "alice") == nil)
        #expect(bob.request("conversation.list")?.list("conversations").isEmpty == true)
        #expect(history(alice, with: "bob") == ["hi"])
        #expect(alice.events == ["created", "left"])
        #expect(bob.outcome("typing", ["to": "@alice"]) == "not_found")
    }

    @Test(arguments: [true, false])
    func theNextMessageBringsADirectConversationBackWithoutEarlierOnes(leaverWrites: Bool) {
        let conversation = alice.post("before", to: "@bob")?.text("conversation")
        leave(bob, "alice")
        bob.forget()
        let (writer, peer) = leaverWrites ? (bob, "@alice") : (alice, "@bob")
        let reply = writer.post("after", to: peer)
        #expect(reply?.text("conversation") == conversation)
        #expect(reply?.number("sequence") == 2)
        #expect(bob.events.first == "added")
        #expect(history(bob, with: "alice") == ["after"])
        #expect(history(alice, with: "bob") == ["before", "after"])
        #expect(bob.outcome("react", ["conversation": "@alice", "sequence": 1, "reaction": "x"]) == "not_found")
        let unread = bob.request("conversation.list")?.list("conversations").first?.number("unread")
        #expect(unread == (leaverWrites ? 0 : 1))
    }

    @Test func creatingADirectConversationBringsItBackToo() {
        let conversation = alice.post("before", to: "@bob")?.text("conversation")
        leave(bob, "alice")
        let back = bob.request("conversation.create", ["kind": "direct", "members": ["alice"]])
        #expect(back?["conversation"]?.text("conversation") == conversation)
        #expect(back?["conversation"]?["message"] == nil)
        #expect(history(bob, with: "alice") == [])
    }

    @Test func earlierMessagesStayHiddenWhileAReturnIsUnderWay() {
        alice.post("before", to: "@bob")
        leave(bob, "alice")
        relay.holdsCommits = true
        bob.start("send", ["to": "@alice", "key": "k", "body": "after"])
        #expect(history(bob, with: "alice") == [])
        #expect(bob.outcome("react", ["conversation": "@alice", "sequence": 1, "reaction": "x"]) == "not_found")
    }

    @Test func whenBothHaveLeftItIsErased() {
        let first = alice.post("before", to: "@bob")?.text("conversation")
        leave(bob, "alice")
        leave(alice, "bob")
        #expect(relay.relay.counters.conversations == 0)
        #expect(relay.log.load().conversations.isEmpty)
        let again = bob.post("anew", to: "@alice")
        #expect(again?.number("sequence") == 1)
        #expect(again?.text("conversation") != first)
        #expect(history(alice, with: "bob") == ["anew"])
    }

    @Test func whileTheLastMemberLeavesOnlyANewConversationCanBegin() {
        let first = alice.post("before", to: "@bob")?.text("conversation") ?? ""
        leave(bob, "alice")
        relay.holdsCommits = true
        alice.start("conversation.leave", ["conversation": "@bob"])
        alice.start("send", ["to": "\(first)", "key": "a", "body": "b"])
        bob.start("send", ["to": "\(first)", "key": "a", "body": "b"])
        bob.start("send", ["to": "@alice", "key": "b", "body": "anew"])
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes == ["not_found"] && bob.codes == ["not_found"])
        #expect(relay.relay.counters.conversations == 1)
        #expect(history(alice, with: "bob") == ["anew"])
        #expect(history(bob, with: "alice") == ["anew"])
    }

    @Test func aMemberWhoLeavesStillGetsMessagesUnderWay() {
        let conversation = alice.makeDirect("bob")
        relay.holdsCommits = true
        alice.start("send", ["to": "@bob", "key": "k", "body": "hi"])
        bob.start("conversation.leave", ["conversation": "\(conversation)"])
        relay.holdsCommits = false
        relay.settle()
        #expect(bob.bodies == ["hi"])
        #expect(history(bob, with: "alice") == nil)
    }

    @Test func aMessageAfterALeaveUnderWayBringsItBack() {
        alice.post("before", to: "@bob")
        let tablet = relay.connect("bob", "tablet")
        tablet.forget()
        relay.holdsCommits = true
        bob.start("conversation.leave", ["conversation": "@alice"])
        alice.start("send", ["to": "@bob", "key": "k", "body": "after"])
        relay.holdsCommits = false
        relay.settle()
        #expect(tablet.events == ["left", "added", "message"])
        #expect(history(bob, with: "alice") == ["after"])
    }

    @Test func aRestartChangesNothing() {
        alice.post("before", to: "@bob")
        leave(bob, "alice")
        relay.crash()
        let bob = relay.connect("bob")
        #expect(history(bob, with: "alice") == nil)
        relay.connect("alice").post("after", to: "@bob")
        #expect(history(bob, with: "alice") == ["after"])
    }
}
