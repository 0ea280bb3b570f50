import RoostWire
import Testing

@testable import RoostCore

/// `UnackedMessages`: which messages the acks of one session cover, and which are dropped when the ring is full.
@Suite struct UnackedMessagesTests {
    private func entry(_ number: Int64, in conversation: Int32 = 1) -> UnackedMessages.Entry {
        .init(
            conversation: ConversationNumber(conversation), sequence: SequenceNumber(number),
            position: Position(number))
    }

    private func drain(_ unacked: inout UnackedMessages) -> [Int64] {
        var all: [Int64] = []
        while let first = unacked.first {
            all.append(first.position.value)
            unacked.removeFirst()
        }
        return all
    }

    @Test func entriesComeOutInTheOrderTheyWereNoted() {
        var unacked = UnackedMessages()
        unacked.note(entry(1), atMost: 100)
        unacked.note((2...20).map { entry($0) }, atMost: 100)
        unacked.removeFirst()
        unacked.note((21...30).map { entry($0) }, atMost: 100)
        #expect(drain(&unacked) == Array(2...30))
        let hasForgotten = unacked.hasForgotten
        #expect(!hasForgotten)
    }

    @Test func inAFullRingANewerMessageOfTheSameConversationReplacesTheLast() {
        var unacked = UnackedMessages()
        for number in 1...5 { unacked.note(entry(Int64(number)), atMost: 3) }
        #expect(drain(&unacked) == [1, 2, 5])
        let hasForgotten = unacked.hasForgotten
        #expect(!hasForgotten)
    }

    @Test func inAFullRingAnotherConversationReplacesTheOldest() {
        var unacked = UnackedMessages()
        for number in 1...3 { unacked.note(entry(Int64(number)), atMost: 3) }
        unacked.note([entry(4, in: 2), entry(5, in: 2)], atMost: 3)
        #expect(drain(&unacked) == [2, 3, 5])
        let hasForgotten = unacked.hasForgotten
        #expect(hasForgotten)
    }
}
