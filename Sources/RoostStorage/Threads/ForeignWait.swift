import Glibc
import Synchronization

/// Waits for another program that has a lock on the store or keeps an old state of it. It waits for as long as that
/// takes: a relay that ended instead would find the same at its next start. The operator gets a message again and
/// again, each time after twice as long. Used by the writer's thread; `giveUp` may be called on any.
final class ForeignWait: Sendable {
    /// The act of another program with the write lock.
    static let lock = "has the store's write lock"

    /// The pause between two attempts that fail at once.
    private static let pauseMicroseconds: UInt32 = 1_000

    private let firstNotice: Int64
    private let gauges: Gauges
    private let reporter: StorageReporter
    private let isGivenUp = Atomic(false)

    /// `firstNotice`: milliseconds before the first report to the operator.
    init(firstNotice: Int64, gauges: Gauges, reporter: StorageReporter) {
        self.firstNotice = firstNotice
        self.gauges = gauges
        self.reporter = reporter
    }

    /// Ends the present wait and every later one with a failure.
    func giveUp() { isGivenUp.store(true, ordering: .relaxed) }

    /// Makes attempts until one succeeds. Each waits a moment by itself and returns false if something is still in the
    /// way. `what` says what the other program does.
    func until(_ what: String, _ attempt: () throws -> Bool) throws {
        if try attempt() { return }
        let start = monotonicMilliseconds()
        var notice = firstNotice
        gauges.update { $0.isWaiting = true }
        defer { gauges.update { $0.isWaiting = false } }
        while !isGivenUp.load(ordering: .relaxed) {
            usleep(ForeignWait.pauseMicroseconds)
            if try attempt() { return }
            guard monotonicMilliseconds() - start >= notice else { continue }
            reporter.note(
                .foreignProgram,
                "another program \(what), for \(notice / 1_000) s now; nothing is stored until it is done")
            notice *= 2
        }
        throw StorageFailure.obstructed(what)
    }
}

/// CLOCK_MONOTONIC.
func monotonicMilliseconds() -> Int64 { monotonicNanoseconds() / 1_000_000 }

/// Milliseconds since 1970, as the system's clock says.
func wallMilliseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
}

/// CLOCK_MONOTONIC.
func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
