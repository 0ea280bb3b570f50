import Glibc
import RoostCore

/// A writer that has work which can wait until it is idle.
public protocol IdleLogWriter: LogWriter {
    /// Does one bounded piece of it. Returns whether there may be more.
    func maintain() throws -> Bool
}

/// What became of one batch.
public struct CommitReport: Sendable {
    /// One outcome per append; or why nothing of the batch may be assumed.
    public var result: Result<[Outcome], any Error>
    /// How long the commit took, by the monotonic clock.
    public var nanoseconds: Int64
    /// Rows that were stored.
    public var rows: Int
}

/// The thread that commits. It owns the writer from its start to the end of `stop()`; the loop submits one batch at a
/// time and gets the report on this thread, by `deliver`, which must hand it over at once. When nothing comes for a
/// while, the writer does what could wait.
public final class CommitThread {
    /// Milliseconds without a batch after which the writer is idle. A busy relay hands over its next batch a moment
    /// after the report; without this, that moment would be taken for idleness, the batch would wait for a piece of
    /// maintenance, and the indexes would be written in smaller parts, which dirty more pages.
    public static let idleAfter = 10

    private let queue: WorkQueue<[Mutation]>
    private let thread: Thread

    /// Starts the thread. Throws `StorageFailure` if the system gives none. `reporter` hears of failed maintenance.
    public init(
        _ writer: sending any IdleLogWriter, idleAfter: Int = CommitThread.idleAfter,
        reporter: StorageReporter = StorageReporter(), deliver: @escaping @Sendable (CommitReport) -> Void
    ) throws {
        // One under way, one handed over while its report travels.
        let queue = WorkQueue<[Mutation]>(bound: 1)
        self.queue = queue
        let worker = Worker(
            writer: writer, queue: queue, idleAfter: idleAfter, reporter: reporter, deliver: deliver)
        thread = try Thread { worker.run() }
    }

    /// Hands over a batch and wakes the thread. False, and nothing is done, if one waits already or after `stop()`.
    @discardableResult
    public func submit(_ batch: [Mutation]) -> Bool {
        queue.add(batch)
    }

    /// Finishes what was submitted and joins.
    public func stop() {
        queue.stop()
        thread.join()
    }

    /// `@unchecked Sendable`: it goes to the thread once, with the writer in it.
    private final class Worker: @unchecked Sendable {
        private let writer: any IdleLogWriter
        private let queue: WorkQueue<[Mutation]>
        private let idleAfter: Int
        private let reporter: StorageReporter
        private let deliver: @Sendable (CommitReport) -> Void

        init(
            writer: any IdleLogWriter, queue: WorkQueue<[Mutation]>, idleAfter: Int, reporter: StorageReporter,
            deliver: @escaping @Sendable (CommitReport) -> Void
        ) {
            self.writer = writer
            self.queue = queue
            self.idleAfter = idleAfter
            self.reporter = reporter
            self.deliver = deliver
        }

        func run() {
            var patience = WorkQueue<[Mutation]>.Patience.endless
            while let batches = queue.takeAll(patience) {
                for batch in batches { deliver(commit(batch)) }
                if !batches.isEmpty {
                    patience = .milliseconds(idleAfter)
                } else {
                    patience = maintain() ? .none : .endless
                }
            }
        }

        /// Returns whether there may be more to do. A failure poisons the writer: the next commit throws.
        private func maintain() -> Bool {
            do {
                return try writer.maintain()
            } catch {
                reporter.note(.maintenanceFailed, "\(error)")
                return false
            }
        }

        private func commit(_ batch: [Mutation]) -> CommitReport {
            let start = monotonicNanoseconds()
            let result = Result { try writer.commit(batch) }
            var rows = 0
            if case .success(let outcomes) = result {
                rows = outcomes.count { if case .stored = $0 { true } else { false } }
            }
            return CommitReport(result: result, nanoseconds: monotonicNanoseconds() - start, rows: rows)
        }
    }
}

private func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
