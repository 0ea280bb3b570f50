import Glibc
import RoostCore
import RoostWire

/// The only place in the server that reads clocks.
enum Clock {
    /// 2026-01-01. No clock that is right shows an earlier time.
    static let earliest = Timestamp(milliseconds: 1_767_225_600_000)

    /// CLOCK_MONOTONIC and CLOCK_REALTIME together.
    static func now() -> Moment {
        Moment(monotonic: milliseconds(CLOCK_MONOTONIC), wall: Timestamp(milliseconds: milliseconds(CLOCK_REALTIME)))
    }

    /// The wall clock alone, for threads other than the loop's.
    static func wall() -> Timestamp { now().wall }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
