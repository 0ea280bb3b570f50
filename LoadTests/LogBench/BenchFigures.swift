import Glibc

/// What a run measured, in the layout that is printed. A value.
struct BenchFigures: Codable {
    /// Messages that were stored; those that set the log up aren't counted.
    var rows: Int
    /// Wall time of all rows.
    var seconds: Double
    var rowsPerSecond: Double
    /// Of each tenth of the rows, in order: a log that slows down as it grows shows here.
    var tenths: [Double]
    /// CPU time of all threads over the same time, the making of the batches included.
    var cpuSeconds: Double
    var commits: Int
    /// Commits by how long they took, from handing over to durable, in milliseconds.
    var commitMillisecondsMedian: Double
    var commitMillisecondsP99: Double
    var commitMillisecondsMax: Double
    /// `full`, `normal` or `memory`.
    var durability: String
    var checkpoints: Int
}

/// Wall and CPU time so far. No state.
enum BenchClock {
    /// Monotonic, seconds.
    static func wall() -> Double { seconds(CLOCK_MONOTONIC) }

    /// Of all threads of the process, seconds.
    static func cpu() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
