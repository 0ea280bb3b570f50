import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `thread`: messages beside the others, under the one with which they began.
@Suite struct ThreadTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    init() { (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol") }

    private func send(_ key: String, in thread: Int64, by client: HarnessClient? = nil) -> JSONValue? {
        (client ?? bob).request(
            "send",
            ["to": "\(group)", "key": "\(key)", "body": "\(key)", "thread": .init(integerLiteral: thread)])
    }

    private func history(_ members: Members = [:]) -> JSONValue? {
        let others = members.map { ",\"\($0.key)\":\($0.value.json)" }.joined()
        return alice.ask("{\"type\":\"history\",\"id\":7,\"conversation\":\"\(group)\"\(others)}")
    }

    private func sequences(_ page: JSONValue?) -> [Int64] {
        page?.list("messages").compactMap { $0.number("sequence") } ?? []
    }

    /// Number of messages in the thread of a message, and the last one, from history.
    private func replies(_ root: Int64) -> [Int64]? {
        let shown = history(["after": .init(integerLiteral: root - 1), "limit": 1])?.list("messages").first
        guard let replies = shown?["replies"] else { return nil }
        return [replies.number("count") ?? 0, replies.number("last") ?? 0]
    }

    @Test("a message is told in its thread, live, in history and when it is caught up")
    func told() {
        alice.post("root", to: group)
        #expect(replies(1) == nil)
        let sent = send("a", in: 1)
        #expect(sent?.outcome == "ok" && sent?.number("sequence") == 2)
        #expect(alice.frames("message").last?.number("thread") == 1)
        #expect(history()?.list("messages").map { $0.number("thread") } == [nil, 1])
        #expect(replies(1) == [1, 2])
        let told = history(["limit": 2])?.list("messages").first?["replies"]
        #expect(told?.number("time") == sent?.number("time"))
        let carol = relay.connect("carol")
        #expect(carol.frames("message").map { $0.number("thread") } == [nil, 1])
        // It is unread like any other.
        let object = alice.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
        #expect(object?.number("unread") == 1 && object?["message"]?.number("thread") == 1)
    }

    @Test("a thread begins with a message that is there, that the sender may see and that is in no thread")
    func refused() {
        alice.post("root", to: group)
        #expect(send("a", in: 2)?.outcome == "not_found")
        #expect(send("a", in: 1)?.outcome == "ok")
        #expect(send("b", in: 2)?.outcome == "bad_request")
        // The key of the refused one is free, and a retry repeats the answer.
        #expect(send("b", in: 1)?.number("sequence") == 3)
        #expect(send("b", in: 1)?["duplicate"] != nil)
        #expect(send("b", in: 2)?.outcome == "conflict")
        #expect(replies(1) == [2, 3])
        let first = bob.request("send", ["to": "@dave", "key": "x", "body": "x", "thread": 1])
        #expect(first?.outcome == "not_found" && relay.relay.counters.users == 3)
    }

    @Test("who comes back to a direct conversation can't write to threads from before, and reads what is new")
    func hidden() {
        let direct = alice.makeDirect("bob")
        alice.post("root", to: direct)
        _ = alice.request("send", ["to": "\(direct)", "key": "old", "body": "old", "thread": 1])
        _ = bob.request("conversation.leave", ["conversation": "\(direct)"])
        #expect(bob.request("send", ["to": "@alice", "key": "back", "body": "back"])?.outcome == "ok")
        let refused = bob.request("send", ["to": "\(direct)", "key": "a", "body": "a", "thread": 1])
        #expect(refused?.outcome == "not_found")
        _ = alice.request("send", ["to": "\(direct)", "key": "a", "body": "a", "thread": 1])
        let page = bob.request("history", ["conversation": "\(direct)", "thread": 1])
        #expect(page?.list("messages").count == 1)
    }

    @Test("a page has the messages of one thread that stand")
    func pages() {
        for text in ["root", "other"] { alice.post(text, to: group) }
        for number in 3...9 { _ = send("k\(number)", in: number % 2 == 1 ? 1 : 2) }
        #expect(sequences(history(["thread": 1])) == [3, 5, 7, 9])
        #expect(sequences(history(["thread": 2])) == [4, 6, 8])
        let page = history(["thread": 1, "after": 3, "limit": 2])
        #expect(sequences(page) == [5, 7] && page?["more"]?.bool == true)
        #expect(sequences(history(["thread": 1, "before": 7, "limit": 1])) == [5])
        #expect(sequences(history(["thread": 3])) == [])
        #expect(history(["thread": 10])?.outcome == "not_found")
        _ = bob.request("delete", ["conversation": "\(group)", "sequence": 9])
        #expect(sequences(history(["thread": 1])) == [3, 5, 7])
        #expect(replies(1) == [3, 7])
    }

    @Test("edits and deletions leave a message in its thread, and a thread outlives its beginning")
    func changed() {
        alice.post("root", to: group)
        _ = send("a", in: 1)
        _ = send("b", in: 1)
        _ = bob.request("edit", ["conversation": "\(group)", "sequence": 2, "body": "a2"])
        _ = bob.request("delete", ["conversation": "\(group)", "sequence": 3])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 1])
        #expect(history()?.list("messages").map { $0.number("thread") } == [nil, 1, 1])
        #expect(replies(1) == [1, 2])
        #expect(send("c", in: 1)?.outcome == "ok")
        #expect(replies(1) == [2, 4])
        let carol = relay.connect("carol")
        #expect(carol.frames("message").map { $0.number("thread") } == [nil, 1, 1, 1])
    }

    @Test("what was missed is caught up with its thread, from memory and from the log", arguments: [true, false])
    func caughtUp(fromWindow: Bool) {
        let bounds = Limits.with { if !fromWindow { $0.windowBytes = 0 } }
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(limits: bounds)
        alice.post("root", to: group)
        bob.ackAll()
        bob.drop()
        for key in ["a", "b"] {
            _ = alice.request("send", ["to": "\(group)", "key": "\(key)", "body": "\(key)", "thread": 1])
        }
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 2, "body": "a2"])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 3])
        let back = relay.connect("bob")
        #expect(back.frames("message").map { $0.number("thread") } == [1, 1])
        #expect(back.frames("message").map { $0.text("body") } == ["a2", nil])
    }

    @Test("threads survive a restart")
    func restart() {
        alice.post("root", to: group)
        _ = send("a", in: 1)
        relay.crash()
        let bob = relay.connect("bob")
        let shown = bob.request("history", ["conversation": "\(group)"])?.list("messages")
        #expect(shown?.first?["replies"]?.number("count") == 1 && shown?.last?.number("thread") == 1)
        #expect(sequences(bob.request("history", ["conversation": "\(group)", "thread": 1])) == [2])
    }

    @Test("a message of a blocked user stands on the page of a thread as a place")
    func blocked() {
        alice.post("root", to: group)
        _ = send("a", in: 1)
        _ = send("b", in: 1, by: alice)
        _ = alice.request("contact.block", ["users": ["bob"]])
        let page = history(["thread": 1])?.list("messages")
        #expect(page?.map { $0["hidden"]?.bool ?? false } == [true, false])
        #expect(page?.first?["thread"] == nil)
        #expect(replies(1) == [2, 3])
        // Nor does it show what began with it.
        _ = bob.request("send", ["to": "\(group)", "key": "own", "body": "own"])
        _ = send("c", in: 4, by: relay.connect("carol"))
        #expect(history(["after": 3, "limit": 1])?.list("messages").first?["replies"] == nil)
    }

    @Test("history that was read before a message came into a thread is read again, as with edits")
    func fresh() {
        alice.post("root", to: group)
        relay.holdsReads = true
        alice.start("history", ["conversation": "\(group)"], id: 5)
        relay.settle()
        let old = relay.log.copy()
        _ = send("a", in: 1)
        for read in relay.heldReads { relay.relay.answered(old.answer(read), at: relay.now) }
        relay.holdsReads = false
        relay.settle()
        let shown = alice.frames("ok").last?.list("messages").first
        #expect(shown?["replies"]?.number("count") == 1)
    }
}
