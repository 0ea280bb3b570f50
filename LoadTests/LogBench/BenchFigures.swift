import Glibc

/// The measurements of a run, in the printed layout. A value.
struct BenchFigures: Codable {
    /// Messages stored, without those that set up the log.
    var rows: Int
    /// Wall time of all rows, in seconds.
    var seconds: Double
    var rowsPerSecond: Double
    /// Rate of each tenth of the rows, in order. It shows whether the log slows down as it grows.
    var tenths: [Double]
    /// CPU time of all threads in that time, including making the batches.
    var cpuSeconds: Double
    var commits: Int
    /// Median time of a commit from handing over to durable, in milliseconds.
    var commitMillisecondsMedian: Double
    var commitMillisecondsP99: Double
    var commitMillisecondsMax: Double
    /// `full`, `normal` or `memory`.
    var durability: String
    var checkpoints: Int
    /// Keys that were there before the first row.
    var storedKeys: Int
    /// CPU time of looking for one key that isn't there, after all rows, in microseconds.
    var newKeyMicroseconds: Double
    /// Keys among a thousand such for which a table had to be read: a filter erred.
    var doubtedPerThousand: Double
    /// Bytes of the key index in memory beside its newest rows.
    var keyFilterBytes: Int
    /// The most memory that the process had (getrusage).
    var residentBytesMax: Int
}

/// Wall and CPU time, and memory, so far. No state.
enum BenchClock {
    /// Monotonic time in seconds.
    static func wall() -> Double { seconds(CLOCK_MONOTONIC) }

    /// CPU time of all threads of the process, in seconds.
    static func cpu() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// The most resident memory so far, bytes.
    static func residentBytesMax() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1_024
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
