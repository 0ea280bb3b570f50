import Glibc

/// CPU time and waits of the calling thread so far. The difference of two values shows whether the harness itself kept
/// up. A value; created on the thread it is about.
struct OwnUsage: Sendable, Equatable {
    /// When it was taken, monotonic, in ns.
    var at: UInt64
    /// CPU time in ns.
    var cpu: UInt64
    /// Time in which the thread was ready to run but had no core, in ns.
    var wait: UInt64

    static func ofThread() -> OwnUsage {
        OwnUsage(
            at: clock(CLOCK_MONOTONIC), cpu: clock(CLOCK_THREAD_CPUTIME_ID),
            // Without CONFIG_SCHED_INFO the kernel doesn't tell; then the wait is unknown.
            wait: ProcFile.text("/proc/thread-self/schedstat").flatMap(Self.wait(schedstat:)) ?? 0)
    }

    /// Returns CPU time and waiting time since `earlier`, as shares of the elapsed time.
    func shares(since earlier: OwnUsage) -> (cpu: Double, wait: Double) {
        guard at > earlier.at else { return (0, 0) }
        let span = Double(at - earlier.at)
        return ((Double(cpu) - Double(earlier.cpu)) / span, (Double(wait) - Double(earlier.wait)) / span)
    }

    /// Reads the second number of a line of schedstat (Linux, Documentation/scheduler/sched-stats.rst).
    static func wait(schedstat text: String) -> UInt64? {
        let fields = text.split(whereSeparator: \.isWhitespace)
        return fields.count >= 2 ? UInt64(fields[1]) : nil
    }

    private static func clock(_ which: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(which, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
