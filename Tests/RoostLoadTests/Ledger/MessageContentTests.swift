import Testing

@testable import RoostLoad

/// A conversation of the connected devices 0, 1 and 2, and messages that should not come: from strangers, to strangers,
/// changed, refused, in a gap, or too many.
@Suite struct MessageContentTests: ThreeDevices {
    let conversation = ThreeDeviceConversation()

    // MARK: Content

    @Test func nothingMayReachOutsiders() {
        send(1)
        #expect(
            ledger.received(0, by: .none, sequence: 1, from: members[0], number: 1) == .fault(.nonMember))
        let others = ledger.addConversation(1, members: [9])
        #expect(
            ledger.received(0, by: others[0], sequence: 1, from: members[0], number: 1) == .fault(.nonMember))
        ledger.gap(0, by: .none, from: 1, to: 1)
        expect([.nonMember: 3])
    }

    @Test(arguments: [0, -1, 2, Int.max, Int(Int32.max) + 2]) func aNumberThatWasNeverSentIsAltered(_ number: Int) {
        send(1)
        ack(1, at: 1)
        #expect(take(1, 1, number: number) == .fault(.altered))
        take(2, 1)
        ledger.finish()
        expect([.altered: 1])
    }

    @Test func aForeignSenderIsAltered() {
        send(1)
        #expect(ledger.received(0, by: members[1], sequence: 1, from: .none, number: 1) == .fault(.altered))
        #expect(take(1, 2, from: 2, number: 1) == .fault(.altered))
        expect([.altered: 2])
    }

    @Test func aFirstAlteredCopyDoesNotAccuseTheOthers() {
        send(2)
        #expect(take(1, 1, number: 7) == .fault(.altered))
        take(1, 2)
        take(2, 1)
        take(2, 2)
        ack(1, at: 1)
        ledger.finish()
        expect([.altered: 1])
    }

    @Test(arguments: [0, -1, 1_000, Int.max]) func anImpossibleSequenceIsAlteredAndTakesNoMemory(_ sequence: Int) {
        send(1)
        #expect(take(1, sequence, number: 1) == .fault(.altered))
        ack(1, at: sequence)
        ledger.gap(0, by: members[1], from: 1, to: sequence)
        #expect(ledger.lastSequence(of: 0) == 0)
        expect([.altered: 3])
    }

    @Test func aRefusedMessageMustNotAppear() {
        send(1)
        ledger.refused(0, from: members[0], number: 1)
        take(1, 1)
        take(2, 1)
        ledger.finish()
        expect([.altered: 1])
    }

    @Test func aStoredMessageMustNotBeRefused() {
        send(1)
        take(1, 1)
        ledger.refused(0, from: members[0], number: 1)
        expect([.altered: 1])
    }

    @Test func aRetryThatIsRefusedMayHaveBeenStoredBefore() {
        send(2)
        take(1, 1)
        for number in 1...2 {
            ledger.resent(0, from: members[0], number: number)
            ledger.refused(0, from: members[0], number: number)
        }
        take(1, 2)
        expect([:])
    }

    @Test func alterationsFoundByTheCallerAreCounted() {
        ledger.altered(0, by: members[1], sequence: 3)
        expect([.altered: 1])
    }

    // MARK: Gaps

    @Test func messagesInAGapAreNotLost() {
        send(5)
        for sequence in 1...5 { take(1, sequence) }
        take(2, 1)
        ledger.gap(0, by: members[2], from: 2, to: 4)
        #expect(ledger.excusedDeliveries == 3)
        #expect(take(2, 5) == .first)
        #expect(ledger.isComplete)
        ledger.finish()
        expect([.gap: 1])
        #expect(ledger.faults.failures == 0)
    }

    @Test func aGapMayCoverMessagesThatNobodySawYet() {
        send(3)
        ledger.gap(0, by: members[2], from: 1, to: 3)
        for sequence in 1...3 { ack(sequence, at: sequence) }
        for sequence in 1...3 { take(1, sequence) }
        #expect(ledger.isComplete)
        ledger.finish()
        expect([.gap: 1])
    }

    @Test func aMessageMissingBeforeAGapIsLost() {
        send(3)
        for sequence in 1...3 { take(1, sequence) }
        ledger.gap(0, by: members[2], from: 2, to: 3)
        ledger.finish()
        expect([.gap: 1, .lost: 1])
    }

    @Test func aGapCoversHoles() {
        send(3)
        for sequence in 1...3 { take(1, sequence) }
        take(2, 1)
        take(2, 3)
        ledger.gap(0, by: members[2], from: 2, to: 2)
        #expect(ledger.isComplete)
        ledger.finish()
        expect([.gap: 1])
    }

    @Test func ownMessagesInAGapAreNotExcused() {
        for _ in 1...200 {
            send(1)
            send(1, from: 1)
        }
        for number in 1...200 {
            ack(number, at: 2 * number - 1)
            ack(number, at: 2 * number, from: 1)
        }
        ledger.gap(0, by: members[1], from: 1, to: 400)
        #expect(ledger.excusedDeliveries == 200)
        ledger.left(0)
        ledger.left(2)
        #expect(ledger.isComplete)
        ledger.finish()
        expect([.gap: 1])
    }

    // MARK: Limits

    @Test func holesBeyondTheLimitCountAsLost() {
        let pairs = HoleList.rangesMax + 10
        send(2 * pairs)
        for sequence in 1...(2 * pairs) { take(1, sequence) }
        for pair in 1...pairs { take(2, 2 * pair) }
        expect([.lost: 10])
        #expect(ledger.holes[members[2].index]?.holes.count == HoleList.rangesMax)
        #expect(ledger.outstanding == HoleList.rangesMax)
        ledger.finish()
        expect([.lost: UInt64(pairs)])
        #expect(ledger.faults.descriptions[.lost]?.count == HarnessLimits.describedFaults)
    }

    @Test func aThousandMembersTakeSixteenBytesEach() {
        #expect(MemoryLayout<MessageLedger.Standing>.stride == 16)
        #expect(MemoryLayout<MessageLedger.Entry>.stride == 8)
    }
}
