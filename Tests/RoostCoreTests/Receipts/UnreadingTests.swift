import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// `send` with `read: false`: the sender has not read what came before, and what it wrote isn't unread for it.
@Suite struct UnreadingTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    init() { (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol") }

    @discardableResult
    private func answer(_ key: String, by client: HarnessClient? = nil, _ members: Members = [:]) -> JSONValue? {
        let all: [(String, Value)] =
            [("to", "\(group)"), ("key", "\(key)"), ("read", false)]
            + (members.isEmpty ? [("body", "\(key)")] : members.map { ($0.key, $0.value) })
        let json = all.map { "\"\($0.0)\":\($0.1.json)" }.joined(separator: ",")
        return (client ?? bob).ask("{\"type\":\"send\",\"id\":7,\(json)}")
    }

    /// The relay's numbers for the group: unread messages and the read watermark.
    private func told(_ client: HarnessClient) -> [Int64] {
        let object = client.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
        return [object?.number("unread") ?? -1, object?.number("read") ?? -1]
    }

    private func read(_ sequence: Int64, on client: HarnessClient) {
        client.tell("read", ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence)])
        relay.pause()
    }

    private func badge(_ client: HarnessClient) -> Int64? {
        client.frames("badge").last?.number("unread") ?? client.welcome("badge")?.integer
    }

    @Test func anAnswerLeavesTheMarkAndIsNotUnread() {
        alice.post("1", to: group)
        alice.post("2", to: group)
        #expect(answer("3")?.outcome == "ok")
        #expect(told(bob) == [2, 0])
        alice.post("4", to: group)
        answer("5")
        answer("6")
        #expect(told(bob) == [3, 0] && told(alice) == [2, 4])
        // The mark passes some of them, and then all.
        for (sequence, unread) in [(1, 2), (2, 1), (3, 1), (4, 0), (5, 0)] as [(Int64, Int64)] {
            read(sequence, on: bob)
            #expect(told(bob) == [unread, sequence])
        }
        alice.post("7", to: group)
        #expect(told(bob) == [1, 5])
        bob.post("8", to: group)
        #expect(told(bob) == [0, 8])
    }

    @Test func theBadgeAndTheReceiptsSayTheSame() {
        let tablet = relay.connect("bob", "tablet")
        alice.post("1", to: group)
        relay.advance(1_000)
        #expect(badge(bob) == 1)
        [alice, bob, tablet].forEach { $0.forget() }
        answer("2")
        relay.advance(1_000)
        // The badge is as before. The user's own devices get the number of unread messages, and other users get
        // nothing.
        #expect(bob.frames("badge").isEmpty && tablet.frames("badge").isEmpty)
        for device in [bob, tablet] {
            let receipt = device.frames("receipt").last { $0.text("user") == "bob" }
            #expect(receipt?.number("unread") == 1 && receipt?.number("read") == 0)
        }
        #expect(alice.frames("receipt").allSatisfy { $0.text("user") != "bob" })
        alice.post("3", to: group)
        relay.advance(1_000)
        #expect(badge(bob) == 2 && badge(tablet) == 2)
        // An acked message isn't read.
        bob.ackAll()
        relay.pause()
        let acked = alice.frames("receipt").last { $0.text("user") == "bob" }
        #expect(acked?.number("delivered") == 3 && acked?.number("read") == 0)
        read(3, on: tablet)
        relay.advance(1_000)
        #expect(badge(bob) == 0)
    }

    @Test func theMessageSaysSoToAllAndOthersDoNot() {
        answer("1")
        alice.post("2", to: group)
        #expect(alice.request("send", ["to": "\(group)", "key": "k", "body": "3", "read": true])?.outcome == "ok")
        let tablet = relay.connect("bob", "tablet")
        for client in [alice, tablet, relay.connect("carol")] {
            #expect(
                client.request("history", ["conversation": "\(group)"])?.list("messages").map { $0.flag("read") }
                    == [false, nil, nil])
        }
        #expect(alice.frames("message").first?.flag("read") == false)
        #expect(relay.connect("carol", "b").frames("message").map { $0.flag("read") } == [false, nil, nil])
    }

    @Test func forwardingAndThreadsObeyIt() {
        alice.post("1", to: group)
        let source = Value(json: #"{"conversation":"\#(group)","sequence":1}"#)
        #expect(answer("2", ["forward": source])?.outcome == "ok")
        #expect(answer("3", ["body": "3", "thread": 1, "replyTo": 1])?.outcome == "ok")
        #expect(told(bob) == [1, 0])
        #expect(bob.request("send", ["to": "\(group)", "key": "4", "forward": source])?.outcome == "ok")
        #expect(told(bob) == [0, 4])
    }

    @Test func aRetryIsTheSameMessageWhateverItSaysOfReading() {
        alice.post("1", to: group)
        answer("2")
        #expect(bob.post("2", to: group)?.flag("duplicate") == true)
        #expect(told(bob) == [1, 0])
    }

    @Test func itOutlivesTheRelay() {
        alice.post("1", to: group)
        answer("2")
        alice.post("3", to: group)
        for stops in [false, true] {
            if stops { relay.pause() }
            relay.crash()
            let bob = relay.connect("bob")
            #expect(told(bob) == [2, 0] && bob.welcome("badge")?.integer == 2)
        }
        let bob = relay.connect("bob")
        read(1, on: bob)
        relay.crash()
        #expect(told(relay.connect("bob")) == [1, 1])
    }

    @Test func deletedAndDisappearedMessagesAreCountedOnce() {
        _ = alice.request("conversation.expiry", ["conversation": "\(group)", "after": 86_400_000])
        alice.post("1", to: group)
        answer("2")
        alice.post("3", to: group)
        answer("4")
        _ = bob.request("delete", ["conversation": "\(group)", "sequence": 2])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 3])
        // A deleted message isn't unread.
        #expect(told(bob) == [1, 0])
        _ = alice.request("conversation.expiry", ["conversation": "\(group)", "after": 0])
        alice.post("5", to: group)
        answer("6")
        relay.advance(86_400_000 + 120_000)
        #expect(told(relay.connect("bob")) == [1, 0])
        relay.crash()
        #expect(told(relay.connect("bob")) == [1, 0])
    }

    @Test func usersDoNotMentionThemselves() {
        let owner = relay.connect("dave")
        let room = owner.makeGroup("bob")
        for (key, names) in [("1", ["@all"]), ("2", ["dave"]), ("3", ["dave", "bob"])] {
            let sent = owner.request(
                "send", ["to": "\(room)", "key": "\(key)", "body": "b", "mentions": .list(names), "read": false])
            #expect(sent?.outcome == "ok")
        }
        func mentions(_ client: HarnessClient) -> Int64? {
            client.request("conversation.get", ["conversation": "\(room)"])?["conversation"]?.number("mentions")
        }
        #expect(mentions(owner) == nil && mentions(bob) == 2)
        relay.crash()
        #expect(mentions(relay.connect("dave")) == nil && mentions(relay.connect("bob")) == 2)
    }

    @Test func ownMessagesBeyond32RangesMarkTheOldestAsRead() {
        alice.post("a0", to: group)
        for number in 1...Int64(SequenceRanges.most) {
            answer("b\(number)")
            alice.post("a\(number)", to: group)
        }
        let most = Int64(SequenceRanges.most)
        #expect(told(bob) == [most + 1, 0])
        alice.forget()
        answer("c")
        relay.pause()
        // The first stretch is message 2, and message 1 is read with it.
        #expect(told(bob) == [most, 2])
        #expect(alice.frames("receipt").last { $0.text("user") == "bob" }?.number("read") == 2)
        relay.crash()
        #expect(told(relay.connect("bob")) == [most, 2])
    }

    @Test func returningMembersBeginAnew() {
        alice.post("1", to: group)
        answer("2")
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["bob"]])
        alice.post("3", to: group)
        #expect(told(bob) == [1, 0])
        answer("4")
        #expect(told(bob) == [1, 0])
    }

    @Test func twoSetsAreCountedTogetherOnce() {
        func set(_ text: String) -> SequenceRanges { SequenceRanges(text: text) ?? SequenceRanges() }
        for (one, two, floor, count) in [
            ("", "", 0, 0), ("1-3", "", 0, 3), ("", "2,4-5", 2, 2), ("1-3,7", "2-8", 0, 8), ("1-3,7", "2-8", 2, 6),
            ("1,3,5", "2,4,6", 0, 6), ("1-10", "2,4,6-12", 5, 7), ("4-5", "4-5", 4, 1),
        ] as [(String, String, Int64, Int64)] {
            #expect(set(one).count(above: SequenceNumber(floor), with: set(two)) == count, "\(one) \(two) \(floor)")
            #expect(set(two).count(above: SequenceNumber(floor), with: set(one)) == count, "\(two) \(one) \(floor)")
        }
        for (text, above, upTo, kept) in [
            ("1-9", 3, 6, "4-6"), ("1-2,5,8-9", 1, 8, "2,5,8"), ("1-2,5", 5, 9, ""), ("3", .max, .max, ""),
            ("3", 5, 2, ""), ("4-9223372036854775806", 0, .max, "4-9223372036854775806"),
        ] as [(String, Int64, Int64, String)] {
            var left = set(text)
            left.keep(above: SequenceNumber(above), upTo: SequenceNumber(upTo))
            #expect(left.text == kept, "\(text) \(above) \(upTo)")
        }
    }
}
