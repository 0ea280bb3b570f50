import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A deleted message is neither unread nor a mention any more, as one that has disappeared.
@Suite struct DeletedTests {
    private func counts(_ client: HarnessClient, _ group: String) -> [Int64] {
        let object = client.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
        return [object?.number("unread") ?? -1, object?.number("mentions") ?? 0]
    }

    private func delete(_ client: HarnessClient, _ sequence: Int64, in group: String) {
        let sequence = Value(integerLiteral: sequence)
        #expect(client.outcome("delete", ["conversation": "\(group)", "sequence": sequence]) == "ok")
    }

    @Test func unreadBadgeAndMentionsForgetADeletedMessage() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        alice.post("one", to: group)
        _ = alice.request("send", ["to": "\(group)", "key": "k2", "body": "@bob", "mentions": ["bob"]])
        _ = alice.request("send", ["to": "\(group)", "key": "k3", "body": "all", "mentions": ["@all"]])
        relay.advance(1_000)
        #expect(counts(bob, group) == [3, 2])
        #expect(bob.frames("badge").last?.number("unread") == 3)
        delete(alice, 2, in: group)
        relay.advance(1_000)
        #expect(counts(bob, group) == [2, 1])
        #expect(bob.frames("badge").last?.number("unread") == 2)
        delete(alice, 3, in: group)
        relay.advance(1_000)
        #expect(counts(bob, group) == [1, 0])
        relay.crash()
        let back = relay.connect("bob")
        #expect(counts(back, group) == [1, 0])
        #expect(back.welcome("badge")?.integer == 1)
    }

    @Test func readAndOwnMessagesDoNotCountTwice() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        for name in ["one", "two", "three"] { alice.post(name, to: group) }
        _ = bob.request("send", ["to": "\(group)", "key": "b", "body": "mine", "read": false])
        #expect(counts(bob, group) == [3, 0])
        delete(bob, 4, in: group)
        #expect(counts(bob, group) == [3, 0])
        _ = bob.request("read", ["conversation": "\(group)", "sequence": 2])
        delete(alice, 1, in: group)
        #expect(counts(bob, group) == [1, 0])
        delete(alice, 3, in: group)
        #expect(counts(bob, group) == [0, 0])
        relay.advance(1_000)
        relay.crash()
        #expect(counts(relay.connect("bob"), group) == [0, 0])
    }

    /// Beyond 32 ranges, the oldest counts as unread again until it is read.
    @Test func theNewest32StretchesAreKept() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        for number in 1...70 { alice.post("m\(number)", to: group) }
        for number in 1...33 { delete(alice, Int64(2 * number), in: group) }
        #expect(counts(bob, group) == [70 - 32, 0])
    }
}
