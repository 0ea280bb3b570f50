import Testing

@testable import RoostLoad

@Suite struct SignalLedgerTests {
    let ledger = SignalLedger()
    let members: [Membership]

    init() {
        members = ledger.addConversation(0, members: [0, 1, 2])
        for device in 0...2 { ledger.connected(device) }
    }

    private func take(_ device: Int, _ number: Int, from sender: Int = 0) -> Reception {
        ledger.received(0, by: members[device], from: members[sender], number: number)
    }

    @Test func everySignalOnceIsNoFault() {
        for _ in 1...200 {
            let number = ledger.send(0)
            #expect(take(1, number) == .first)
            #expect(take(2, number) == .first)
        }
        #expect(ledger.missedSignals == 0 && ledger.expectedDeliveries == 400 && ledger.arrivedDeliveries == 400)
        #expect(ledger.faults == FaultCounts())
    }

    @Test func signalsMayComeInAnyOrder() {
        for _ in 1...60 { _ = ledger.send(0) }
        for number in (1...60).reversed() { #expect(take(1, number) == .first) }
        for number in 1...60 { #expect(take(1, number) == .fault(.duplicated)) }
        #expect(ledger.faults.counts == [.duplicated: 60])
    }

    @Test func aMissingSignalIsCountedAndNoFault() {
        let number = ledger.send(0)
        _ = take(1, number)
        #expect(ledger.missedSignals == 1)
        #expect(ledger.faults.failures == 0)
    }

    @Test func devicesThatAreAwayAreNotExpected() {
        ledger.left(2)
        _ = ledger.send(0)
        #expect(ledger.expectedDeliveries == 1)
    }

    @Test func remembersSixtyFourSignalsAndTakesOlderOnesForNew() {
        for _ in 1...200 { _ = ledger.send(0) }
        #expect(take(1, 100) == .first)
        #expect(take(1, 163) == .first)
        #expect(take(1, 100) == .fault(.duplicated))
        #expect(take(1, 164) == .first)
        #expect(take(1, 100) == .first)
        #expect(take(1, 101) == .first)
        #expect(take(1, 101) == .fault(.duplicated))
        #expect(take(1, 200) == .first)
        #expect(take(1, 163) == .fault(.duplicated))
    }

    @Test func signalsMustNotReachOutsiders() {
        let number = ledger.send(0)
        #expect(ledger.received(0, by: .none, from: members[0], number: number) == .fault(.nonMember))
        #expect(ledger.received(7, by: members[1], from: members[0], number: number) == .fault(.nonMember))
    }

    @Test(arguments: [0, -1, 2, Int.max]) func aSignalThatWasNeverSentIsAltered(_ number: Int) {
        _ = ledger.send(0)
        #expect(take(1, number) == .fault(.altered))
        #expect(ledger.received(0, by: members[1], from: .none, number: 1) == .fault(.altered))
    }

    @Test func theSenderDoesNotGetItsOwn() {
        #expect(take(0, ledger.send(0)) == .fault(.duplicated))
    }
}
