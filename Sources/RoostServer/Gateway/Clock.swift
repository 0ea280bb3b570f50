import Glibc
import RoostCore
import RoostWire

/// The only place in the server that reads clocks.
enum Clock {
    /// CLOCK_MONOTONIC and CLOCK_REALTIME together.
    static func now() -> Moment {
        Moment(monotonic: milliseconds(CLOCK_MONOTONIC), wall: Timestamp(milliseconds: milliseconds(CLOCK_REALTIME)))
    }

    /// The wall clock alone.
    static func wall() -> Timestamp { Timestamp(milliseconds: milliseconds(CLOCK_REALTIME)) }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
