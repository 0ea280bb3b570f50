import Glibc
import RoostCore
import RoostWire

/// Notices that the machine's clock was set while the relay runs: it then parts from the time that has passed. Messages
/// get its time, and disappear and expire by it. A value of the loop thread.
struct ClockWatch {
    /// Milliseconds of a change that is worth a line: corrections by NTP and leap seconds are far smaller, and an hour
    /// more or less is a large part of the time after which messages of a conversation may disappear.
    static let noticed: Int64 = 3_600_000

    /// The wall clock minus the time since boot, sleep included, when it was looked at first or last said.
    private var offset: Int64?
    /// Time that the machine has slept since boot: the monotonic clock stands still meanwhile (clock_gettime(2)).
    private var slept: Int64 = 0

    /// By how many milliseconds the clock was set since it was last said; nil if by less than an hour. Called every
    /// turn, so it asks the system only when the two clocks differ by much.
    mutating func look(at now: Moment, sinceBoot: () -> Int64 = ClockWatch.sinceBoot) -> Int64? {
        guard let known = offset else {
            slept = sinceBoot() - now.monotonic
            offset = now.wall.milliseconds - now.monotonic - slept
            return nil
        }
        guard abs(now.wall.milliseconds - now.monotonic - slept - known) >= ClockWatch.noticed else { return nil }
        slept = sinceBoot() - now.monotonic
        let found = now.wall.milliseconds - now.monotonic - slept
        guard abs(found - known) >= ClockWatch.noticed else { return nil }
        offset = found
        return found - known
    }

    private static func sinceBoot() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
