import RoostWire
import Testing

@testable import RoostCore

/// `Receipts` alone: the watermarks to send, their recipients, and the ones to store.
@Suite struct ReceiptGatheringTests {
    let cast = Cast("alice", "bob", "carol")

    private func receipts(_ change: (inout Limits) -> Void = { _ in }) -> Receipts {
        var limits = Limits()
        change(&limits)
        return Receipts(.init(limits))
    }

    private func read(_ sequence: Int64, by member: Member, _ receipts: Receipts, at now: Int64 = 0) {
        receipts.advanceRead(member, to: SequenceNumber(sequence), at: Moment(now))
    }

    /// Everything that may be sent at this moment. Each receipt goes to `own` devices of the reader and to `others`.
    private func tellings(
        _ receipts: Receipts, at now: Int64, own: Int = 1, others: Int = 2, isBusy: Bool = false
    ) -> [String] {
        receipts.tick(at: now)
        guard receipts.beginTelling(isBusy: isBusy, at: Moment(now)) else { return [] }
        var all: [String] = []
        while let telling = receipts.next(at: Moment(now)) {
            let (toOwn, toOthers) = (telling.toOwnDevices, telling.toOthers)
            all.append(telling.member.user.name + (toOwn ? " own" : "") + (toOthers ? " others" : ""))
            receipts.told(telling, own: toOwn ? own : 0, others: toOthers ? others : 0, at: Moment(now))
        }
        return all
    }

    // MARK: Telling

    @Test func changesOfOneTickAreToldOnce() {
        let receipts = receipts()
        for sequence in 1...5 { read(Int64(sequence), by: cast[0], receipts) }
        #expect(receipts.nextDeadline == 50)
        #expect(tellings(receipts, at: 49).isEmpty)
        #expect(tellings(receipts, at: 50) == ["alice own others"])
        #expect(!receipts.hasMoreToTell)
        #expect(cast[0].watermark.read == SequenceNumber(5))
        #expect(cast[0].watermark.delivered == SequenceNumber(5))
    }

    @Test func progressThatIsNotNewIsNotTold() {
        let receipts = receipts()
        read(5, by: cast[0], receipts)
        _ = tellings(receipts, at: 50)
        read(5, by: cast[0], receipts, at: 60)
        receipts.advanceDelivered(cast[0], to: SequenceNumber(4), at: Moment(60))
        #expect(tellings(receipts, at: 200).isEmpty)
    }

    @Test func theProgressOfAFormerMemberIsNotTold() {
        let receipts = receipts()
        read(1, by: cast[0], receipts)
        _ = cast.group.dismiss([cast[0].user.number], cast.settled())
        #expect(tellings(receipts, at: 50).isEmpty)
        #expect(!receipts.hasMoreToTell)
    }

    @Test func theReceiptsOfAMillisecondAreBounded() {
        let receipts = receipts { $0.receiptsPerMillisecond = 4 }
        for index in 0..<3 { read(1, by: cast[index], receipts) }
        // Each costs one for the look and three for the devices that get it.
        #expect(tellings(receipts, at: 50) == ["alice own others"])
        #expect(tellings(receipts, at: 50).isEmpty)
        #expect(receipts.nextDeadline == 51)
        #expect(tellings(receipts, at: 51) == ["bob own others"])
    }

    @Test func aBusyTurnTellsOnlyAQuarter() {
        let receipts = receipts { $0.receiptsPerMillisecond = 16 }
        for index in 0..<3 { read(1, by: cast[index], receipts) }
        #expect(tellings(receipts, at: 50, isBusy: true).count == 1)
        #expect(tellings(receipts, at: 51, isBusy: false).count == 2)
    }

    @Test func othersWaitForTheBudgetAndOwnDevicesDoNot() {
        let receipts = receipts { $0.receiptsPerSecond = 2 }
        read(1, by: cast[0], receipts)
        #expect(tellings(receipts, at: 50) == ["alice own others"])
        read(2, by: cast[0], receipts, at: 60)
        #expect(tellings(receipts, at: 110) == ["alice own"])
        #expect(tellings(receipts, at: 1_049).isEmpty)
        #expect(tellings(receipts, at: 1_100) == ["alice others"])
    }

    @Test func aLargeConversationTellsOwnDevicesOnly() {
        let receipts = receipts { $0.receiptMembersMax = 2 }
        read(1, by: cast[0], receipts)
        #expect(tellings(receipts, at: 50) == ["alice own"])
    }

    // MARK: Storing

    @Test func progressIsStoredOnceWhenItIsDue() {
        let receipts = receipts()
        let device = cast.device(of: 0)
        receipts.move(device, to: Position(7), at: Moment(0))
        receipts.move(device, to: Position(9), at: Moment(10))
        read(1, by: cast[0], receipts)
        read(2, by: cast[0], receipts)
        receipts.tick(at: 199)
        #expect(!receipts.isStoreDue)
        receipts.tick(at: 200)
        let (watermarks, cursors) = receipts.takeUnstored(atMost: 10)
        // The watermark, and its steps.
        #expect(watermarks.count == 2)
        if case .steps(_, _, let steps) = watermarks.last {
            #expect(steps.filter(\.isRead).map(\.after.value) == [0, 1])
            #expect(steps.filter { !$0.isRead }.map(\.sequence.value) == [1, 2])
        }
        #expect(receipts.time(of: SequenceNumber(2), isRead: true, cast[0]) != nil)
        receipts.batchIsDurable()
        #expect(receipts.time(of: SequenceNumber(2), isRead: true, cast[0]) == nil)
        var newest = Watermark()
        newest.read = SequenceNumber(2)
        newest.readAt = Timestamp(milliseconds: 1)
        newest.deliveredAt = newest.readAt
        newest.delivered = SequenceNumber(2)
        if case .watermark(_, _, let watermark) = watermarks.first { #expect(watermark == newest) }
        #expect(cursors.count == 1)
        if case .cursor(_, let position) = cursors.first { #expect(position == Position(9)) }
        #expect(!receipts.isStoreDue)
    }

    @Test func aBatchTakesABoundedNumber() {
        let receipts = receipts()
        for index in 0..<3 { read(1, by: cast[index], receipts) }
        receipts.storeNow()
        #expect(receipts.takeUnstored(atMost: 2).watermarks.count == 4)
        #expect(receipts.isStoreDue)
        #expect(receipts.takeUnstored(atMost: 2).watermarks.count == 2)
        #expect(!receipts.isStoreDue)
        #expect(receipts.takeUnstored(atMost: 2).watermarks.isEmpty)
    }

    @Test func formerMembersAndForgottenDevicesAreNotStored() {
        let receipts = receipts()
        let device = cast.device(of: 0)
        receipts.move(device, to: Position(7), at: Moment(0))
        read(1, by: cast[1], receipts)
        receipts.forget(device)
        _ = cast.group.dismiss([cast[1].user.number], cast.settled())
        receipts.storeNow()
        let (watermarks, cursors) = receipts.takeUnstored(atMost: 10)
        #expect(watermarks.isEmpty && cursors.isEmpty)
    }
}
