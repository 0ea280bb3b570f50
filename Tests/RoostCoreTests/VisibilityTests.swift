import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A member can't name an event that it may not see: every command answers as if it weren't there.
@Suite struct VisibilityTests {
    let relay = RelayHarness()
    let alice: HarnessClient
    let bob: HarnessClient

    /// Bob has left the conversation with Alice after two messages, and came back with the third.
    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
        alice.post("one", to: "@bob")
        alice.post("two", to: "@bob")
        #expect(bob.outcome("conversation.leave", ["conversation": "@alice"]) == "ok")
        alice.post("three", to: "@bob")
        relay.pause()
    }

    private func outcomes(_ sequence: Int64) -> [String: String] {
        let number = Value(json: "\(sequence)")
        let of: Members = ["conversation": "@alice", "sequence": number]
        return [
            "replyTo": bob.outcome(
                "send", ["to": "@alice", "key": "r\(sequence)", "body": "re", "replyTo": number]),
            "read": bob.outcome("read", of),
            "react": bob.outcome(
                "react", ["conversation": "@alice", "sequence": number, "reaction": "+"]),
            "edit": bob.outcome("edit", ["conversation": "@alice", "sequence": number, "body": "new"]),
            "delete": bob.outcome("delete", of),
            "members": bob.outcome("conversation.members", of),
        ]
    }

    @Test(arguments: [1, 2, 9] as [Int64])
    func aHiddenMessageCannotBeNamed(sequence: Int64) {
        for (command, outcome) in outcomes(sequence) { #expect(outcome == "not_found", "\(command)") }
        relay.pause()
        #expect(alice.frames("receipt").allSatisfy { ($0.number("read") ?? 0) <= 3 })
        #expect(alice.frames("message").isEmpty)
    }

    @Test func aVisibleMessageCan() {
        #expect(
            outcomes(3) == [
                "replyTo": "ok", "read": "ok", "react": "ok", "edit": "forbidden", "delete": "forbidden",
                "members": "ok",
            ])
    }

    @Test func historyShowsNothingHidden() {
        let page = bob.request("history", ["conversation": "@alice", "before": 3])
        #expect(page?.list("messages").count == 0)
        #expect(page?.flag("more") == false)
    }

    /// Bob may see the first message and replies to it; then he leaves and comes back, and repeats the reply.
    @Test func aRetriedReplyToWhatIsHiddenNowGetsItsFirstAnswer() {
        let reply: Members = ["to": "@bob", "key": "r", "body": "re", "replyTo": 1]
        let first = alice.request("send", reply)
        #expect(alice.outcome("conversation.leave", ["conversation": "@bob"]) == "ok")
        bob.post("back", to: "@alice")
        #expect(alice.request("send", reply)?.text("position") == first?.text("position"))
        #expect(alice.outcome("send", ["to": "@bob", "key": "s", "body": "re", "replyTo": 1]) == "not_found")
    }
}
