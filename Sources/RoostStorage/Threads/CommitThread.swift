import Glibc
import RoostCore

/// A writer with work that can wait until it is idle.
public protocol IdleLogWriter: LogWriter {
    /// Does one limited piece of that work. Returns whether there may be more. Throws if nothing can be committed any
    /// more.
    func maintain() throws -> Bool

    /// Whether there was room for more when it last looked: before each batch and each piece of work.
    var hasRoom: Bool { get }
}

/// The result of one batch.
public struct CommitReport: Sendable {
    /// One outcome for each append. Or `NoRoom`: nothing of the batch is stored, and the store goes on. Or the error
    /// after which nothing about the batch is certain.
    public var result: Result<[Outcome], any Error>
    /// The batch, if there was no room for it.
    public var unstored: [Mutation] = []
    /// Duration of the commit, by the monotonic clock.
    public var nanoseconds: Int64
    /// Rows that were stored.
    public var rows: Int

    /// Creates a report.
    public init(result: Result<[Outcome], any Error>, nanoseconds: Int64 = 0, rows: Int = 0) {
        self.result = result
        self.nanoseconds = nanoseconds
        self.rows = rows
    }
}

/// The thread that commits. It owns the writer until the end of `stop()`. The loop submits one batch at a time and gets
/// the report through `deliver`, called on this thread; `deliver` must return at once. When no batch comes for a while,
/// the writer does work that could wait. If that fails, there is a report without a batch. `room` is called in the same
/// way whenever the writer finds the disk full, or not full any more.
public final class CommitThread {
    /// Milliseconds without a batch after which the writer counts as idle. A busy relay submits its next batch a moment
    /// after the report. Without this delay that moment would count as idle: the batch would wait for maintenance, and
    /// the indexes would be written in smaller parts, which dirty more pages.
    public static let idleAfter = 10
    /// Milliseconds after which a writer without a batch looks after its store again.
    public static let lookAfter = 5_000
    /// The same while the disk is full.
    public static let lookAfterFull = 1_000

    private let queue: WorkQueue<[Mutation]>
    private let thread: Thread

    /// Starts the thread. Throws `StorageFailure` if the system can't create one. `reporter` gets failures of
    /// maintenance.
    public init(
        _ writer: sending any IdleLogWriter, idleAfter: Int = CommitThread.idleAfter,
        lookAfter: Int = CommitThread.lookAfter, reporter: StorageReporter = StorageReporter(),
        room: @escaping @Sendable (Bool) -> Void = { _ in }, deliver: @escaping @Sendable (CommitReport) -> Void
    ) throws {
        // One batch is being committed, one may be submitted while its report is on the way.
        let queue = WorkQueue<[Mutation]>(bound: 1)
        self.queue = queue
        let worker = Worker(
            writer: writer, queue: queue, idleAfter: idleAfter, lookAfter: lookAfter, reporter: reporter,
            room: room, deliver: deliver)
        thread = try Thread { worker.run() }
    }

    /// Submits a batch and wakes the thread. Returns false and does nothing if one is waiting already, or after
    /// `stop()`.
    @discardableResult
    public func submit(_ batch: [Mutation]) -> Bool {
        queue.add(batch)
    }

    /// Finishes what was submitted and joins the thread.
    public func stop() {
        queue.stop()
        thread.join()
    }

    /// `@unchecked Sendable`: it goes to the thread once, together with the writer.
    private final class Worker: @unchecked Sendable {
        private let writer: any IdleLogWriter
        private let queue: WorkQueue<[Mutation]>
        private let idleAfter: Int
        private let lookAfter: Int
        private let reporter: StorageReporter
        private let room: @Sendable (Bool) -> Void
        private let deliver: @Sendable (CommitReport) -> Void
        /// The last value passed to `room`.
        private var hasRoom = true

        init(
            writer: any IdleLogWriter, queue: WorkQueue<[Mutation]>, idleAfter: Int, lookAfter: Int,
            reporter: StorageReporter, room: @escaping @Sendable (Bool) -> Void,
            deliver: @escaping @Sendable (CommitReport) -> Void
        ) {
            self.writer = writer
            self.queue = queue
            self.idleAfter = idleAfter
            self.lookAfter = lookAfter
            self.reporter = reporter
            self.room = room
            self.deliver = deliver
        }

        func run() {
            tellRoom()
            var patience = look
            while let batches = queue.takeAll(patience) {
                for batch in batches { deliver(commit(batch)) }
                if !batches.isEmpty {
                    patience = .milliseconds(idleAfter)
                } else {
                    patience = maintain() ? .none : look
                }
                tellRoom()
            }
        }

        private var look: WorkQueue<[Mutation]>.Patience {
            .milliseconds(writer.hasRoom ? lookAfter : min(lookAfter, CommitThread.lookAfterFull))
        }

        private func tellRoom() {
            guard writer.hasRoom != hasRoom else { return }
            hasRoom = writer.hasRoom
            room(hasRoom)
        }

        /// Returns whether there may be more to do. A failure poisons the writer, so the loop has to know.
        private func maintain() -> Bool {
            do {
                return try writer.maintain()
            } catch {
                reporter.note(.maintenanceFailed, "\(error)")
                deliver(CommitReport(result: .failure(error), nanoseconds: 0, rows: 0))
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
            var report = CommitReport(result: result, nanoseconds: monotonicNanoseconds() - start, rows: rows)
            if case .failure(is NoRoom) = result { report.unstored = batch }
            return report
        }
    }
}
