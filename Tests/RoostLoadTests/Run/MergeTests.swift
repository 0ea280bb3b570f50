import Histogram
import Testing

@testable import RoostLoad

@Suite struct MergeTests {
    private func distribution(_ values: [UInt64]) -> Distribution {
        var histogram = Histogram<UInt64>(
            highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
        for value in values { histogram.record(value) }
        return Distribution(histogram)
    }

    private func second(_ number: Int, sent: UInt64, delivery: [UInt64]) -> RunResult.Second {
        var second = RunResult.Second(second: number)
        second.due = sent
        second.sent = sent
        second.acked = sent
        second.delivered = UInt64(delivery.count)
        second.sessions = 10
        second.delivery = distribution(delivery)
        return second
    }

    @Test func distributionsAddUpByKind() {
        var one = RunResult()
        one.corrected[.delivery] = distribution([1, 2, 3])
        one.corrected[.ack] = distribution([5])
        var other = RunResult()
        other.corrected[.delivery] = distribution([2, 9])
        other.uncorrected[.typing] = distribution([4])
        one.merge(other)
        #expect(one.corrected[.delivery] == distribution([1, 2, 2, 3, 9]))
        #expect(one.corrected[.ack]?.total == 1)
        #expect(one.uncorrected[.typing]?.total == 1)
    }

    // Checks every number of `Counts`, also those that are added later.
    @Test func allCountsAddUp() throws {
        var one = RunResult()
        var counts = RunResult.Counts()
        (counts.due, counts.sent, counts.acked, counts.delivered, counts.expected) = (1, 2, 3, 4, 5)
        (counts.missedSignals, counts.sessions, counts.connects, counts.disconnects) = (6, 7, 8, 9)
        (counts.lostConnections, counts.caughtUpMessages, counts.catchUpSeconds) = (10, 11, 2.5)
        (counts.receipts, counts.presences, counts.typings, counts.frames) = (12, 13, 14, 15)
        (counts.delayed, counts.unsent, counts.presenceFrames) = (16, 17, 18)
        for child in Mirror(reflecting: counts).children {
            let isSet = (child.value as? UInt64 ?? 0) > 0 || (child.value as? Double ?? 0) > 0
            #expect(isSet, "\(child.label ?? "") is new: set it here")
        }
        one.counts = counts
        one.merge(one)
        for (before, after) in zip(Mirror(reflecting: counts).children, Mirror(reflecting: one.counts).children) {
            guard let number = before.value as? UInt64 else { continue }
            #expect(after.value as? UInt64 == number * 2, "\(before.label ?? "")")
        }
        // All clients come back at the same time.
        #expect(one.counts.catchUpSeconds == 2.5)
    }

    @Test func secondsAreMatchedByNumber() {
        var one = RunResult()
        one.timeline = [second(-1, sent: 1, delivery: []), second(0, sent: 2, delivery: [5, 6])]
        var other = RunResult()
        other.timeline = [second(0, sent: 3, delivery: [7]), second(1, sent: 4, delivery: [])]
        one.merge(other)
        #expect(one.timeline.map(\.second) == [-1, 0, 1])
        #expect(one.timeline.map(\.sent) == [1, 5, 4])
        #expect(one.timeline.map(\.sessions) == [10, 20, 10])
        #expect(one.timeline[1].delivered == 3)
        #expect(one.timeline[1].delivery == distribution([5, 6, 7]))
    }

    /// Everybody is back when the last of all is, and live when the slowest of all is, counted from then.
    @Test func aStormLastsAsLongAsItsLongest() {
        var one = RunResult()
        one.disturbances = [.init(kind: .storm, at: 1, end: 1, sessions: 10, welcomed: 2, live: 5)]
        var other = RunResult()
        other.disturbances = [
            .init(kind: .storm, at: 1, end: 1, sessions: 11, welcomed: 3, live: 1),
            .init(kind: .kill, at: 5, end: 5, sessions: 4, welcomed: 1),
        ]
        one.merge(other)
        #expect(one.disturbances.map(\.sessions) == [21, 4])
        #expect(one.disturbances.map(\.welcomed) == [3, 1])
        #expect(one.disturbances.map(\.live) == [4, .infinity])
    }

    @Test func whatBystandersNoticeIsAddedUpBySpan() {
        var one = RunResult()
        one.disturbances = [.init(kind: .storm, at: 1, end: 1, sessions: 0, bystanders: [distribution([5])])]
        var other = RunResult()
        other.disturbances = [
            .init(kind: .storm, at: 1, end: 1, sessions: 1, bystanders: [distribution([3]), distribution([7])])
        ]
        one.merge(other)
        #expect(one.disturbances[0].bystanders?.map(\.values) == [[3, 5], [7]])
    }

    @Test func healthIsThatOfTheWorstWorker() {
        var one = RunResult()
        one.health.cpuShare = 0.2
        one.health.waitShare = 0.3
        one.health.lateness = distribution([1])
        var other = RunResult()
        other.health.cpuShare = 0.9
        other.health.waitShare = 0.1
        other.health.lateness = distribution([1_000])
        other.health.turns = distribution([3])
        one.merge(other)
        #expect(one.health.cpuShare == 0.9)
        #expect(one.health.waitShare == 0.3)
        #expect(one.health.lateness.total == 2)
        #expect(one.health.lateness.max == 1_000)
        #expect(one.health.turns.total == 1)
    }

    @Test func allOtherMembersAreMerged() {
        var one = RunResult()
        one.seconds = 10
        one.errors = ["busy": 1]
        var other = RunResult()
        other.seconds = 9
        other.wasInterrupted = true
        other.relay = "roost/1"
        other.durability = "full"
        other.errors = ["busy": 2, "gone": 3]
        other.faults.count(.lost, times: 2, "words")
        one.merge(other)
        #expect(one.seconds == 10)
        #expect(one.wasInterrupted)
        #expect(one.relay == "roost/1")
        #expect(one.durability == "full")
        #expect(one.errors == ["busy": 3, "gone": 3])
        #expect(one.faults[.lost] == 2)
    }
}
