import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A command with an id gets exactly one reply with that id, whatever its outcome.
@Suite struct ReplyTests {
    static let stored = [
        "send", "edit", "delete", "react", "conversation.create", "conversation.rename", "conversation.add",
        "conversation.remove", "conversation.role", "conversation.leave",
    ]
    static let others = [
        "refresh", "ping", "bye", "history", "signal", "ack", "read", "typing", "presence", "status", "watch",
        "unwatch",
        "conversation.list", "conversation.members",
    ]
    static let mayOmitID = ["signal", "typing", "ack", "read"]

    let relay = RelayHarness()
    let alice: HarnessClient
    let group: String

    init() {
        alice = relay.connect("alice")
        group = alice.makeGroup("bob", "carol")
        alice.post("one", to: group)
        relay.pause()
        alice.forget()
    }

    /// Members that satisfy every command.
    private func members(of type: String, in conversation: String) -> Members {
        [
            "to": "\(conversation)", "conversation": "\(conversation)", "key": "k", "body": "b", "sequence": 1,
            "reaction": "x", "kind": type == "conversation.create" ? "group" : "text", "name": "N",
            "users": [type == "conversation.add" ? "dave" : "bob"], "user": "bob", "role": "admin",
            "position": "memory-1", "state": type == "status" ? "busy" : "idle", "token": "alice",
        ]
    }

    private var replies: [JSONValue] { alice.frames.filter { $0["re"] != nil } }

    @Test(arguments: stored + others)
    func aSuccessfulCommandIsAnsweredOnce(type: String) {
        alice.start(type, members(of: type, in: group), id: 77)
        relay.settle()
        relay.pause()
        #expect(replies.map { $0.number("re") } == [77])
        #expect(replies.first?.text("type") == (type == "ping" ? "pong" : "ok"))
    }

    @Test(arguments: stored + ["history", "signal", "read", "typing", "conversation.members"])
    func aFailedCommandIsAnsweredOnce(type: String) {
        let type = type == "conversation.create" ? "watch" : type
        let conversation = type == "watch" ? group : "cnowhere"
        let command = members(of: type, in: conversation)
        relay.clients.first?.start("conversation.leave", ["conversation": "\(group)"], id: 1)
        relay.settle()
        alice.forget()
        alice.start(type, command, id: 77)
        relay.settle()
        #expect(replies.map { $0.number("re") } == [77])
        #expect(replies.first?.text("type") == "error")
    }

    @Test(arguments: stored)
    func aCommandThatTheStoreFailedOnIsAnsweredOnce(type: String) {
        relay.holdsCommits = true
        alice.start(type, members(of: type, in: group), id: 77)
        relay.settle()
        #expect(replies.isEmpty)
        relay.failCommit()
        #expect(replies.map { $0.number("re") } == [77])
        #expect(replies.first?.text("code") == "unavailable")
        #expect(replies.first?.flag("retry") == true)
    }

    @Test(arguments: mayOmitID)
    func withoutAnIDOnlyFailuresAreAnswered(type: String) {
        alice.tell(type, members(of: type, in: group))
        relay.settle()
        #expect(alice.frames.allSatisfy { $0.text("type") != "ok" && $0.text("type") != "error" })
        alice.tell(
            type, ["to": "cnowhere", "conversation": "cnowhere", "sequence": 1, "body": 1, "position": "memory-999"])
        #expect(alice.frames("error").count == 1)
        #expect(alice.frames("error").first?["re"] == nil)
    }

    @Test func anIDIsRepeatedAsItWas() {
        #expect(alice.ask(#"{"type":"ping","id":"p\"1"}"#)?.text("re") == "p\"1")
        #expect(alice.ask(#"{"type":"ping","id":9007199254740992}"#)?.number("re") == 9_007_199_254_740_992)
    }

    @Test func anEndedSessionIsNotAnswered() {
        relay.holdsCommits = true
        alice.start("send", ["to": "\(group)", "key": "k", "body": "b"])
        alice.drop()
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.frames.isEmpty)
        // The message was stored nevertheless.
        #expect(relay.connect("bob").bodies == ["one", "b"])
    }
}
