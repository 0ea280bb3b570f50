import RoostCore
import RoostWire
import Testing

@testable import RoostServer

/// A clock that is set by an hour or more is noticed once; time that passes, sleep and small corrections aren't.
@Suite struct ClockWatchTests {
    private static let hour: Int64 = 3_600_000

    private func moment(_ passed: Int64, set: Int64 = 0, slept: Int64 = 0) -> Moment {
        Moment(monotonic: 1_000 + passed, wall: Timestamp(milliseconds: 1_800_000_000_000 + passed + set + slept))
    }

    @Test func aClockThatIsSetIsNoticedOnce() {
        var watch = ClockWatch()
        func look(_ passed: Int64, set: Int64) -> Int64? {
            watch.look(at: moment(passed, set: set)) { 1_000 + passed }
        }
        #expect(look(0, set: 0) == nil)
        #expect(look(5, set: Self.hour - 1) == nil)
        #expect(look(6, set: -Self.hour + 1) == nil)
        #expect(look(7, set: 24 * Self.hour) == 24 * Self.hour)
        #expect(look(8, set: 24 * Self.hour) == nil)
        #expect(look(9, set: 0) == -24 * Self.hour)
    }

    @Test func timeThatPassesIsNoChange() {
        var watch = ClockWatch()
        for day in 0..<100 {
            let passed = Int64(day) * 24 * Self.hour
            #expect(watch.look(at: moment(passed)) { 1_000 + passed } == nil)
        }
    }

    /// The monotonic clock stands still while the machine sleeps.
    @Test func sleepIsNoChange() {
        var watch = ClockWatch()
        #expect(watch.look(at: moment(0)) { 1_000 } == nil)
        #expect(watch.look(at: moment(1, slept: 8 * Self.hour)) { 1_001 + 8 * Self.hour } == nil)
        #expect(watch.look(at: moment(2, set: Self.hour, slept: 8 * Self.hour)) { 1_002 + 8 * Self.hour } == Self.hour)
    }
}
