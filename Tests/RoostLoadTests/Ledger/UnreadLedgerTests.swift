import Testing

@testable import RoostLoad

@Suite struct UnreadLedgerTests {
    let ledger = UnreadLedger()
    let reader: Int

    init() { reader = ledger.add(3, in: 4) }

    private var wrong: UInt64 { ledger.faults[.wrongUnread] }

    @Test func messagesAboveTheWatermarkAreUnread() {
        ledger.settled(reader, unread: 5, last: 5)
        ledger.said(reader, upTo: 2)
        ledger.said(reader, upTo: 1)
        ledger.settled(reader, unread: 3, last: 5)
        #expect(wrong == 0)
        ledger.settled(reader, unread: 4, last: 5)
        ledger.settled(reader, unread: 2, last: 5)
        ledger.settled(reader, unread: -1, last: 5)
        #expect(wrong == 3)
        #expect(
            ledger.faults.descriptions[.wrongUnread]?.first
                == "conversation 4: user 3 has unread 4 instead of 3, with 5 messages")
    }

    @Test func sendingMarksEarlierMessagesAsRead() {
        ledger.wrote(reader, 4)
        ledger.said(reader, upTo: 2)
        ledger.settled(reader, unread: 2, last: 6)
        #expect(wrong == 0)
        ledger.settled(reader, unread: 4, last: 6)
        #expect(wrong == 1)
    }

    @Test func aReadBeforeADropMayBeLost() {
        ledger.said(reader, upTo: 2)
        ledger.shown(reader, unread: 3, read: 2, seen: 5, possible: 9)
        ledger.said(reader, upTo: 4)
        ledger.dropped(reader)
        for unread in 1...3 { ledger.settled(reader, unread: unread, last: 5) }
        #expect(wrong == 0)
        ledger.settled(reader, unread: 4, last: 5)
        ledger.settled(reader, unread: 0, last: 5)
        #expect(wrong == 2)
        ledger.said(reader, upTo: 4)
        ledger.settled(reader, unread: 3, last: 5)
        #expect(wrong == 3)
    }

    @Test func anUnansweredMessageMayBeTheLastRead() {
        ledger.settled(reader, unread: 0, last: 5, isOpen: true)
        ledger.shown(reader, unread: 0, read: 5, seen: 5, possible: 5, isOpen: true)
        #expect(wrong == 0)
    }

    @Test func anAbandonedMessageMayBeTheLastRead() {
        ledger.mayHaveWritten(reader)
        ledger.shown(reader, unread: 1, read: 4, seen: 5, possible: 5)
        ledger.settled(reader, unread: 0, last: 5)
        #expect(wrong == 0)
        ledger.shown(reader, unread: 2, read: 4, seen: 5, possible: 5)
        #expect(wrong == 1)
    }

    @Test func withMessagesUnderWayACountMustFitSomeMoment() {
        ledger.said(reader, upTo: 4)
        for last in 6...8 { ledger.shown(reader, unread: last - 4, read: 4, seen: 6, possible: 8) }
        #expect(wrong == 0)
        ledger.shown(reader, unread: 1, read: 4, seen: 6, possible: 8)
        ledger.shown(reader, unread: 5, read: 4, seen: 6, possible: 8)
        ledger.shown(reader, unread: 1, read: 6, seen: 6, possible: 8)
        ledger.shown(reader, unread: .max, read: 4, seen: 6, possible: 8)
        ledger.shown(reader, unread: -2, read: 4, seen: 0, possible: 8)
        ledger.shown(reader, unread: 7, read: -1, seen: 6, possible: 8)
        #expect(wrong == 6)
    }
}
