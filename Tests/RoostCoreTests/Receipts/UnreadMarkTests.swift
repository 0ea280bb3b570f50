import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// `unread`: read messages count as unread again on the user's own devices, and other users don't see it.
@Suite struct UnreadMarkTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol")
        for number in 1...4 { alice.post("\(number)", to: group) }
        bob.post("5", to: group)
        alice.post("6", to: group)
        read(6)
    }

    private func read(_ sequence: Int64) {
        bob.tell("read", ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence)])
        relay.advance(1_000)
        [alice, bob].forEach { $0.forget() }
    }

    private func mark(_ sequence: Int64, by client: HarnessClient? = nil) -> String? {
        let outcome = (client ?? bob).outcome(
            "unread", ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence)])
        relay.advance(1_000)
        return outcome
    }

    /// Unread messages, the first marked one, and the read watermark.
    private func told(_ client: HarnessClient) -> [Int64?] {
        let object = client.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
        return [object?.number("unread"), object?.number("unreadFrom"), object?.number("read")]
    }

    @Test func messagesOfOthersAreUnreadAgainOnAllOwnDevicesAndNobodyElseIsTold() {
        let tablet = relay.connect("bob", "tablet")
        relay.advance(1_000)
        [alice, bob, tablet].forEach { $0.forget() }
        #expect(mark(3) == "ok")
        for device in [bob, tablet] {
            let receipt = device.frames("receipt").last { $0.text("user") == "bob" }
            #expect(receipt?.number("unread") == 3 && receipt?.number("unreadFrom") == 3)
            #expect(receipt?.number("read") == 6)
            #expect(device.frames("badge").last?.number("unread") == 3)
            #expect(told(device) == [3, 3, 6])
        }
        #expect(alice.frames.isEmpty)
        let members = alice.request("conversation.members", ["conversation": "\(group)"])?.list("members")
        #expect(members?.map { $0.number("read") } == [6, 6, 0])
        #expect(relay.connect("bob", "phone").welcome("badge")?.integer == 3)
    }

    @Test func readingTakesTheMarkOffAsFarAsItGoes() {
        #expect(mark(1) == "ok")
        #expect(told(bob) == [5, 1, 6])
        read(3)
        #expect(told(bob) == [2, 4, 6])
        alice.post("7", to: group)
        #expect(told(bob) == [3, 4, 6])
        read(7)
        #expect(told(bob) == [0, nil, 7])
        #expect(mark(6) == "ok")
        #expect(told(bob) == [2, 6, 7])
        // Another mark replaces the one before, and the author of a message has read everything.
        #expect(mark(7) == "ok")
        #expect(told(bob) == [1, 7, 7])
        bob.post("8", to: group)
        #expect(told(bob) == [0, nil, 8])
    }

    @Test func deletedMessagesAndThoseOfBlockedUsersDoNotCount() {
        #expect(mark(3) == "ok")
        #expect(alice.outcome("delete", ["conversation": "\(group)", "sequence": 4]) == "ok")
        #expect(told(bob) == [2, 3, 6])
        #expect(bob.outcome("contact.block", ["users": ["alice"]]) == "ok")
        #expect(mark(1) == "ok")
        #expect(told(bob)[0] == 0)
    }

    @Test func marksThatAreRefused() {
        #expect(mark(9) == "not_found")
        #expect(mark(3, by: relay.connect("dave")) == "not_found")
        // Nothing is read that could be marked.
        #expect(mark(3, by: relay.connect("carol")) == "ok")
        #expect(bob.frames("receipt").isEmpty)
        for number in 7...108 { alice.post("\(number)", to: group) }
        read(108)
        #expect(mark(8) == "too_large")
        #expect(mark(9) == "ok")
        #expect(told(bob) == [100, 9, 108])
    }

    @Test func readingWhileTheLogIsAskedCountsMore() {
        relay.holdsReads = true
        bob.tell("unread", ["id": 90, "conversation": "\(group)", "sequence": 3])
        bob.tell("read", ["conversation": "\(group)", "sequence": 6])
        relay.holdsReads = false
        relay.advance(1_000)
        #expect(told(bob) == [0, nil, 6])
    }

    @Test func marksBeyond32RangesAreRefused() {
        for number in 0..<34 { (number.isMultiple(of: 2) ? alice : bob).post("s\(number)", to: group) }
        for number in 0..<34 { (number.isMultiple(of: 2) ? alice : bob).post("t\(number)", to: group) }
        read(74)
        #expect(mark(7) == "too_large")
        #expect(told(bob) == [0, nil, 74])
        #expect(mark(13) == "ok")
    }

    @Test func theFirstMarkIsOfAMessageThatIsThere() {
        #expect(mark(6) == "ok")
        #expect(alice.outcome("delete", ["conversation": "\(group)", "sequence": 6]) == "ok")
        #expect(told(bob) == [0, nil, 6])
    }

    @Test func aMarkIsStoredWhenItIsAnswered() {
        #expect(mark(3) == "ok")
        relay.crash()
        let phone = relay.connect("bob")
        #expect(told(phone) == [3, 3, 6])
        #expect(phone.welcome("badge")?.integer == 3)
    }

    /// The second comes while the writer has the first.
    @Test func theLastMarkIsStored() {
        relay.holdsCommits = true
        bob.tell("unread", ["id": 90, "conversation": "\(group)", "sequence": 3])
        bob.tell("unread", ["id": 91, "conversation": "\(group)", "sequence": 4])
        relay.commitHeldBatch()
        relay.holdsCommits = false
        relay.advance(100)
        relay.crash()
        #expect(told(relay.connect("bob"))[1] == 4)
    }
}
