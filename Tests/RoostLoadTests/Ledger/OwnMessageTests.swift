import Testing

@testable import RoostLoad

/// A device doesn't get its own messages as events. Their `ok` stands in place of them, before or after the events
/// around it. Only catch-up sends them as events.
@Suite struct OwnMessageTests {
    let ledger = MessageLedger()
    let alice: Membership
    let bob: Membership

    init() {
        let members = ledger.addConversation(0, members: [0, 1])
        (alice, bob) = (members[0], members[1])
        ledger.connected(0)
        ledger.connected(1)
    }

    private func send(alice fromAlice: Int, bob fromBob: Int) {
        for number in 0..<fromAlice { ledger.sent(0, from: alice, number: number + 1) }
        for number in 0..<fromBob { ledger.sent(0, from: bob, number: number + 1) }
    }

    /// Odd sequences are Alice's, even ones Bob's.
    private func sender(of sequence: Int) -> Membership { sequence % 2 == 1 ? alice : bob }

    @discardableResult
    private func take(_ device: Membership, _ sequence: Int) -> Reception {
        ledger.received(0, by: device, sequence: sequence, from: sender(of: sequence), number: (sequence + 1) / 2)
    }

    private func ack(_ sequence: Int) {
        ledger.acked(0, from: sender(of: sequence), number: (sequence + 1) / 2, sequence: sequence)
    }

    private func expectNothing(location: SourceLocation = #_sourceLocation) {
        #expect(ledger.isComplete, sourceLocation: location)
        ledger.finish()
        #expect(ledger.faults == FaultCounts(), sourceLocation: location)
    }

    @Test func theyAlternate() {
        send(alice: 2, bob: 2)
        for sequence in 1...4 {
            ack(sequence)
            #expect(take(sender(of: sequence + 1), sequence) == .first)
        }
        #expect(ledger.expectedDeliveries == 4 && ledger.arrivedDeliveries == 4)
        expectNothing()
    }

    @Test func theAckComesAfterLaterEvents() {
        send(alice: 2, bob: 2)
        #expect(take(bob, 1) == .first)
        #expect(take(alice, 2) == .first)
        ack(1)
        ack(2)
        expectNothing()
    }

    @Test func theAckComesAfterLaterEventsAndNobodyElseHasSeenIt() {
        send(alice: 1, bob: 1)
        ledger.left(1)
        #expect(take(alice, 2) == .first)
        #expect(!ledger.isComplete)
        ack(1)
        #expect(ledger.isComplete)
        ledger.connected(1)
        #expect(take(bob, 1) == .first)
        expectNothing()
    }

    @Test func theAckComesBeforeEarlierEvents() {
        send(alice: 3, bob: 2)
        ack(5)
        ack(3)
        #expect(!ledger.isComplete)
        #expect(take(alice, 2) == .first)
        #expect(take(alice, 4) == .first)
        for sequence in [1, 3, 5] { take(bob, sequence) }
        #expect(ledger.lastSequence(by: alice) == 5)
        expectNothing()
    }

    @Test func itComesAsAnEventInCatchUpBeforeItsAck() {
        send(alice: 1, bob: 1)
        #expect(take(alice, 1) == .own)
        ack(1)
        #expect(take(alice, 2) == .first)
        #expect(take(bob, 1) == .first)
        #expect(ledger.expectedDeliveries == 2 && ledger.arrivedDeliveries == 2)
        expectNothing()
    }

    @Test func itComesAsAnEventInCatchUpAfterItsAck() {
        send(alice: 1, bob: 1)
        ack(1)
        #expect(take(alice, 1) == .own)
        take(alice, 2)
        take(bob, 1)
        expectNothing()
    }

    @Test func itComesInCatchUpAfterAReconnectThatNamesTheLastEvent() {
        send(alice: 2, bob: 1)
        ack(1)
        take(bob, 1)
        take(alice, 2)
        ack(3)
        take(bob, 3)
        ledger.left(0)
        ledger.connected(0, resuming: .everything)
        #expect(take(alice, 3) == .own)
        expectNothing()
    }

    @Test func itComesTwiceInASession() {
        send(alice: 1, bob: 0)
        ack(1)
        take(bob, 1)
        take(alice, 1)
        #expect(take(alice, 1) == .fault(.duplicated))
    }

    @Test func itWasNeverAnsweredAndComesAfterAReconnect() {
        send(alice: 1, bob: 1)
        ledger.left(0)
        take(bob, 1)
        ledger.connected(0)
        #expect(take(alice, 1) == .own)
        #expect(take(alice, 2) == .first)
        expectNothing()
    }

    @Test func itFillsItsHoleInCatchUp() {
        send(alice: 1, bob: 1)
        #expect(take(alice, 2) == .first)
        ledger.left(0)
        ledger.connected(0, resuming: .unknown)
        #expect(take(alice, 1) == .own)
        #expect(take(alice, 2) == .again)
        take(bob, 1)
        expectNothing()
    }

    @Test func theOthersMissingMessageIsStillLost() {
        send(alice: 2, bob: 1)
        ack(1)
        ack(2)
        ack(3)
        take(bob, 1)
        take(bob, 3)
        #expect(!ledger.isComplete)
        ledger.finish()
        #expect(ledger.faults.counts == [.lost: 1])
    }

    @Test func anotherDeviceOfTheSenderIsOneLikeAll() {
        let members = ledger.addConversation(1, members: [0, 1, 2])
        ledger.connected(2)
        ledger.sent(1, from: members[0], number: 1)
        ledger.acked(1, from: members[0], number: 1, sequence: 1)
        #expect(ledger.outstanding == 2)
        #expect(ledger.received(1, by: members[2], sequence: 1, from: members[0], number: 1) == .first)
        #expect(ledger.outstanding == 1)
    }
}
