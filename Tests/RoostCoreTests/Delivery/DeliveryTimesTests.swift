import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Delivery times of events.
@Suite struct DeliveryTimesTests {
    private func event(_ position: Int64, at time: Int64) -> StoredEvent {
        let append = Append(
            .message, in: ConversationNumber(1), by: UserNumber(1), device: "phone", at: Timestamp(milliseconds: time))
        return StoredEvent(append, position: Position(position), sequence: SequenceNumber(position))
    }

    private func moment(_ wall: Int64) -> Moment { Moment(monotonic: wall, wall: Timestamp(milliseconds: wall)) }

    @Test func countsFromTheArrivalOfTheCommand() {
        let times = DeliveryTimes(at: moment(0))
        times.noteStored(event(1, at: 1_000), at: moment(1_004))
        times.noteStored(event(2, at: 1_003), at: moment(1_004))
        #expect(times.stored.count == 2 && times.stored.sum == 5)
        times.noteAcked(Position(2), since: Position(0), at: moment(1_103))
        #expect(times.acked.count == 1 && times.acked.sum == 100)
    }

    @Test func eventsMissedWhileAwayCountNowhere() {
        let times = DeliveryTimes(at: moment(0))
        times.noteStored(event(1, at: 10), at: moment(11))
        times.noteAcked(Position(1), since: Position(1), at: moment(60_000))
        #expect(times.acked.count == 0)
    }

    @Test func forgetsTheOldestFirst() {
        let times = DeliveryTimes(at: moment(5))
        #expect(times.arrival(of: Position(7)) == Timestamp(milliseconds: 5))
        let last = Int64(DeliveryTimes.kept) + 1
        for position in 1...last { times.noteStored(event(position, at: position * 10), at: moment(position * 10)) }
        #expect(times.arrival(of: Position(last)) == Timestamp(milliseconds: last * 10))
        #expect(times.arrival(of: Position(2)) == Timestamp(milliseconds: 20))
        // Its place is taken: it is at least as old as the oldest that is known.
        #expect(times.arrival(of: Position(1)) == Timestamp(milliseconds: 20))
    }

    // MARK: In the relay

    @Test func aClockThatGoesBackDoesNoHarm() {
        let times = DeliveryTimes(at: moment(0))
        times.noteStored(event(1, at: 2_000), at: moment(1_000))
        #expect(times.stored.sum == 0 && times.stored.count == 1)
    }

    @Test func acksOfLiveDevicesAreTimed() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        relay.advance(1_000)
        let before = relay.relay.ackedTimes
        let place = alice.post("k", to: group)
        relay.advance(70)
        bob.tell("ack", ["position": "\(place?.text("position") ?? "")"])
        relay.settle()
        let after = relay.relay.ackedTimes
        #expect(after.count == before.count + 1)
        #expect(after.sum - before.sum >= 70 && after.sum - before.sum < 90)
    }

    @Test func acksOfWhatWasMissedAreNot() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        bob.drop()
        let place = alice.post("k", to: group)
        relay.advance(60_000)
        let (again, before) = (relay.connect("bob", "phone"), relay.relay.ackedTimes.count)
        again.tell("ack", ["position": "\(place?.text("position") ?? "")"])
        relay.settle()
        #expect(relay.relay.ackedTimes.count == before)
    }

    @Test func devicesThatAreAwayAreCountedByWhatWaitsForThem() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        func look(after milliseconds: Int64) -> [Int] {
            relay.advance(milliseconds)
            _ = relay.connect("alice")
            relay.relay.takeBacklog(at: relay.now)
            relay.settle()
            let found = relay.relay.counters.behind.backlog
            return found.map { [$0.nothing, $0.hour, $0.day, $0.week, $0.longer] } ?? []
        }
        let place = alice.post("k", to: group)?.text("position")
        bob.tell("ack", ["position": "\(place ?? "")"])
        relay.settle()
        #expect(look(after: 0) == [0, 0, 0, 0, 0])
        bob.drop()
        #expect(look(after: 59_000) == [0, 0, 0, 0, 0], "nobody looks again so soon")
        #expect(look(after: 1_000) == [1, 0, 0, 0, 0])
        relay.connect("alice").post("next", to: group)
        #expect(look(after: 60_000) == [0, 1, 0, 0, 0])
        #expect(look(after: 3_600_000) == [0, 0, 1, 0, 0])
        #expect(look(after: 86_400_000) == [0, 0, 0, 1, 0])
        #expect(look(after: 604_800_000) == [0, 0, 0, 0, 1])
        // The store's times of it count after a restart.
        relay.sleep(1_000)
        #expect(look(after: 60_000) == [0, 0, 0, 0, 1])
    }

    /// A turn looks at so many and no more.
    @Test func theLookAtAllDevicesIsSpreadOverTurns() {
        let relay = RelayHarness(limits: .with { $0.stepsPerTurn = 8 })
        for number in 0..<30 {
            let client = relay.connect("user\(number)")
            client.drop()
        }
        relay.advance(60_000)
        let before = relay.relay.counters.steps
        relay.relay.takeBacklog(at: relay.now)
        #expect(relay.relay.counters.steps - before <= 8)
        #expect(relay.relay.counters.behind.backlog == nil)
        relay.advance(1_000)
        #expect(relay.relay.counters.behind.backlog?.nothing == 30)
    }

    @Test func aCensusFindsTheOldestThatIsNotAcked() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        relay.relay.takeCensus(at: relay.now)
        #expect(relay.relay.counters.behind.census.oldestUnacked == 0)
        let place = alice.post("k", to: group)
        relay.advance(5_000)
        relay.relay.takeCensus(at: relay.now)
        let census = relay.relay.counters.behind.census
        #expect(census.oldestUnacked >= 5_000 && census.oldestUnacked < 5_200 && census.oldestUnsent == 0)
        bob.tell("ack", ["position": "\(place?.text("position") ?? "")"])
        relay.settle()
        // Too soon.
        relay.relay.takeCensus(at: relay.now)
        #expect(relay.relay.counters.behind.census == census)
        relay.advance(1_000)
        relay.relay.takeCensus(at: relay.now)
        #expect(relay.relay.counters.behind.census == Counters.Census())
    }
}
