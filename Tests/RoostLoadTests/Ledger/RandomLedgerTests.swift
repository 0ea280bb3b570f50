import Testing

@testable import RoostLoad

/// The ledgers judge a model of a relay: they find no fault if it is correct, and exactly the planted fault otherwise.
@Suite struct RandomLedgerTests {
    @Test(arguments: 1...30 as ClosedRange<UInt64>) func aCorrectRelayHasNoFault(_ seed: UInt64) {
        let crowd = ModelCrowd(seed: seed)
        crowd.run(steps: 4_000)
        #expect(crowd.relay.log.count > 100)
        #expect(crowd.ledger.isComplete)
        #expect(crowd.ledger.arrivedDeliveries == crowd.ledger.expectedDeliveries)
        crowd.ledger.finish()
        #expect(crowd.faults == FaultCounts())
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>) func aCorrectRelayWithGapsHasOnlyGaps(_ seed: UInt64) {
        let crowd = ModelCrowd(seed: seed, backlogMax: 6)
        crowd.run(steps: 4_000)
        #expect(crowd.ledger.isComplete)
        let ledger = crowd.ledger
        // The senders of messages that were left out for all devices aren't known. So these messages are also excused
        // for their senders, to which they weren't due.
        let unknown = ledger.conversations.reduce(0) { $0 + $1.entries.count { $0 == .unknown } }
        #expect(ledger.arrivedDeliveries + ledger.excusedDeliveries == ledger.expectedDeliveries + unknown)
        ledger.finish()
        #expect(crowd.faults[.gap] > 0)
        #expect(Set(crowd.faults.counts.keys) == [.gap], "\(crowd.faults.descriptions)")
    }

    @Test(arguments: ModelCrowd.Plant.allCases, 1...12 as ClosedRange<UInt64>)
    func exactlyThePlantedFaultIsFound(_ plant: ModelCrowd.Plant, _ seed: UInt64) {
        let crowd = ModelCrowd(seed: seed, plant: plant)
        crowd.run(steps: 4_000)
        crowd.ledger.finish()
        #expect(Set(crowd.faults.counts.keys) == [plant.fault], "\(crowd.faults.descriptions)")
        if plant == .lost { #expect(!crowd.skipped.isEmpty) }
    }
}
