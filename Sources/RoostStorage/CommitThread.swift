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

    /// Starts the thread. Throws `StorageFailure` if there is none to be had.
    public init(
        _ writer: sending any IdleLogWriter, idleAfter: Int = CommitThread.idleAfter,
        deliver: @escaping @Sendable (CommitReport) -> Void
    ) throws {
        // One under way, one handed over while its report travels.
        let queue = WorkQueue<[Mutation]>(bound: 1)
        self.queue = queue
        let worker = Worker(writer: writer, queue: queue, idleAfter: idleAfter, deliver: deliver)
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
        private let deliver: @Sendable (CommitReport) -> Void

        init(
            writer: any IdleLogWriter, queue: WorkQueue<[Mutation]>, idleAfter: Int,
            deliver: @escaping @Sendable (CommitReport) -> Void
        ) {
            self.writer = writer
            self.queue = queue
            self.idleAfter = idleAfter
            self.deliver = deliver
        }

        func run() {
            var patience = WorkQueue<[Mutation]>.Patience.endless
            while let batches = queue.takeAll(patience) {
                for batch in batches { deliver(commit(batch)) }
                if !batches.isEmpty {
                    patience = .milliseconds(idleAfter)
                } else {
                    // A failure here poisons the writer: the next commit reports it.
                    patience = ((try? writer.maintain()) ?? false) ? .none : .endless
                }
            }
        }

        private func commit(_ batch: [Mutation]) -> CommitReport {
            let start = monotonicNanoseconds()
            let result = Result { try writer.commit(batch) }
            let outcomes = (try? result.get()) ?? []
            let rows = outcomes.count { if case .stored = $0 { true } else { false } }
            return CommitReport(result: result, nanoseconds: monotonicNanoseconds() - start, rows: rows)
        }
    }
}

private func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
