import Glibc

/// A moment, by the monotonic clock, after which waits end. A value.
struct Deadline: Sendable {
    let at: UInt64

    init(at: UInt64) { self.at = at }

    /// From now. Negative and endless spans are bounded.
    init(seconds: Double) {
        at = Self.now &+ UInt64(min(max(0, seconds), HarnessLimits.secondsMax) * 1_000_000_000)
    }

    /// Monotonic, ns.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    var isOver: Bool { nanosecondsLeft == 0 }

    var nanosecondsLeft: UInt64 {
        let now = Self.now
        return at > now ? at - now : 0
    }

    /// Looks every 10 ms until `isDone` or the deadline. For changes that nothing reports, such as those of another
    /// process.
    func poll(_ isDone: () -> Bool) -> Bool {
        while !isDone() {
            guard !isOver else { return false }
            usleep(10_000)
        }
        return true
    }
}
