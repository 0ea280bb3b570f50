import Testing

@testable import RoostLoad

/// A conversation of the connected devices 0, 1 and 2: messages that are lost, come twice, or come in the wrong order.
@Suite struct MessageLedgerTests: ThreeDevices {
    let conversation = ThreeDeviceConversation()

    // MARK: Losing nothing

    @Test func aCorrectOrderIsNoFault() {
        send(3)
        for sequence in 1...3 {
            ack(sequence, at: sequence)
            #expect(take(1, sequence) == .first)
            #expect(take(2, sequence) == .first)
        }
        #expect(ledger.isComplete)
        #expect(ledger.expectedDeliveries == 6 && ledger.arrivedDeliveries == 6)
        ledger.finish()
        expect([:])
    }

    @Test func anAckedMessageThatNeverComesIsLost() {
        send(1)
        ack(1, at: 1)
        take(1, 1)
        #expect(!ledger.isComplete)
        ledger.finish()
        expect([.lost: 1])
        #expect(ledger.faults.descriptions[.lost] == ["conversation 0, sequence 1: device 2 never got it"])
    }

    @Test func aMessageSeenByOneDeviceIsExpectedAtAll() {
        send(1)
        take(1, 1)
        #expect(ledger.outstanding == 1)
        ledger.finish()
        expect([.lost: 1])
    }

    @Test func aHoleThatIsNeverFilledIsLost() {
        send(3)
        for sequence in 1...3 { take(1, sequence) }
        take(2, 1)
        take(2, 3)
        #expect(!ledger.isComplete)
        ledger.finish()
        expect([.lost: 1])
    }

    @Test func aSequenceThatNobodyGotIsLostToAll() {
        send(2)
        take(1, 2, number: 1)
        take(2, 2, number: 1)
        ledger.finish()
        // The sender's own device misses the first one too, because it may be from anybody.
        expect([.lost: 3])
    }

    @Test func aMessageNeitherAckedNorSeenMayBeStoredOrNot() {
        send(1)
        #expect(ledger.isComplete)
        ledger.finish()
        expect([:])
    }

    @Test func devicesThatAreAwayMissNothing() {
        ledger.left(2)
        send(2)
        for sequence in 1...2 { take(1, sequence) }
        #expect(ledger.isComplete)
        ledger.connected(2)
        #expect(ledger.outstanding == 2)
        for sequence in 1...2 { #expect(take(2, sequence) == .first) }
        #expect(ledger.isComplete)
        ledger.left(2)
        ledger.finish()
        expect([:])
    }

    @Test func aHoleIsLostEvenIfTheDeviceIsAwayAtTheEnd() {
        send(3)
        for sequence in 1...3 { take(1, sequence) }
        take(2, 2)
        ledger.left(2)
        #expect(ledger.isComplete)
        ledger.finish()
        expect([.lost: 1])
    }

    @Test func finishingTwiceCountsOnce() {
        send(1)
        take(1, 1)
        ledger.finish()
        ledger.finish()
        expect([.lost: 1])
    }

    // MARK: Twice

    @Test func aMessageTwiceInASessionIsDuplicated() {
        send(2)
        take(1, 1)
        #expect(take(1, 1) == .fault(.duplicated))
        take(1, 2)
        #expect(take(1, 1) == .fault(.duplicated))
        expect([.duplicated: 2])
    }

    @Test func anUnackedMessageMayComeAgainOnceAfterAReconnect() {
        send(4)
        for sequence in 1...3 { take(1, sequence) }
        ledger.acknowledged(members[1], upTo: 1)
        ledger.left(1)
        ledger.connected(1, resuming: .acked)
        #expect(take(1, 2) == .again)
        #expect(take(1, 3) == .again)
        #expect(take(1, 4) == .first)
        expect([:])
        #expect(take(1, 3) == .fault(.duplicated))
    }

    @Test func anAckedMessageMustNotComeAgain() {
        send(3)
        for sequence in 1...3 { take(1, sequence) }
        ledger.acknowledged(members[1], upTo: 2)
        ledger.left(1)
        ledger.connected(1, resuming: .acked)
        #expect(take(1, 2) == .fault(.duplicated))
        #expect(take(1, 3) == .again)
        expect([.duplicated: 1])
    }

    @Test func aDeviceThatResumesWhereItWasGetsNothingAgain() {
        send(2)
        for sequence in 1...2 { take(1, sequence) }
        ledger.left(1)
        ledger.connected(1, resuming: .everything)
        #expect(take(1, 2) == .fault(.duplicated))
    }

    @Test func whenAcksWereLostAnythingMayComeAgainOnce() {
        send(2)
        for sequence in 1...2 { take(1, sequence) }
        ledger.acknowledged(members[1], upTo: 2)
        ledger.left(1)
        ledger.connected(1, resuming: .unknown)
        #expect(take(1, 1) == .again)
        #expect(take(1, 1) == .fault(.duplicated))
        #expect(take(1, 2) == .again)
    }

    @Test func aRetryThatIsStoredTwiceIsDuplicatedOnce() {
        send(2)
        ack(1, at: 1)
        ledger.resent(0, from: members[0], number: 1)
        ack(1, at: 2)
        for device in 1...2 {
            take(device, 1)
            #expect(take(device, 2, number: 1) == .first)
        }
        ledger.finish()
        expect([.duplicated: 1])
    }

    @Test func aRetryThatGetsItsFirstAckAgainIsRight() {
        send(1)
        ack(1, at: 1)
        ledger.resent(0, from: members[0], number: 1)
        ack(1, at: 1, isDuplicate: true)
        expect([:])
    }

    @Test func anAckThatSpeaksOfARepetitionOfANewMessageIsAltered() {
        send(1)
        ack(1, at: 1, isDuplicate: true)
        expect([.altered: 1])
    }

    // MARK: Order

    @Test func aMessageThatFillsAHoleIsReordered() {
        send(3)
        take(1, 1)
        #expect(take(1, 3) == .first)
        #expect(take(1, 2) == .fault(.reordered))
        take(2, 1)
        take(2, 2)
        take(2, 3)
        #expect(ledger.isComplete)
        ledger.finish()
        expect([.reordered: 1])
    }

    @Test func aHoleThatIsFilledAfterAReconnectIsReordered() {
        send(3)
        take(1, 1)
        take(1, 3)
        ledger.left(1)
        ledger.connected(1, resuming: .unknown)
        #expect(take(1, 1) == .again)
        #expect(take(1, 2) == .fault(.reordered))
        #expect(take(1, 3) == .again)
        expect([.reordered: 1])
    }

    @Test func twoDevicesThatDisagreeAboutASequenceAreReordered() {
        send(2)
        take(1, 1, number: 1)
        take(1, 2, number: 2)
        #expect(take(2, 1, number: 2) == .fault(.reordered))
        #expect(take(2, 2, number: 1) == .fault(.reordered))
        ledger.finish()
        expect([.reordered: 2])
    }

    @Test func anAckThatDisagreesWithWhatCameIsReordered() {
        send(1)
        send(1, from: 1)
        take(2, 1, from: 1, number: 1)
        ack(1, at: 1)
        expect([.reordered: 1])
    }

    @Test func aSendersNumbersRiseWithTheSequences() {
        send(2)
        take(1, 1, number: 2)
        expect([:])
        take(1, 2, number: 1)
        expect([.reordered: 1])
    }

    @Test func numbersAreJudgedInTheOrderOfSequences() {
        send(2)
        ack(2, at: 2)
        ack(1, at: 1)
        expect([:])
    }

    @Test func aRetryMayStandBehindWhatWasSentLater() {
        send(2)
        ledger.refused(0, from: members[0], number: 1)
        ack(2, at: 1)
        ledger.resent(0, from: members[0], number: 1)
        ack(1, at: 2)
        for device in 1...2 {
            take(device, 1, number: 2)
            take(device, 2, number: 1)
        }
        ledger.finish()
        expect([:])
    }

    @Test func orderAboveASequenceThatNobodySawIsJudgedAtTheEnd() {
        send(3)
        ledger.left(0)
        ledger.left(2)
        take(1, 2, number: 3)
        take(1, 3, number: 2)
        expect([:])
        ledger.finish()
        expect([.reordered: 1, .lost: 1])
    }
}
