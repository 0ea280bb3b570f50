import Glibc
import RoostCore

/// The thread that reads. It owns the reader until the end of `stop()`. It answers questions in order through
/// `deliver`, called on this thread; `deliver` must return at once.
public final class ReadThread {
    /// How many questions may wait: a few milliseconds of work each at worst, about a second in all.
    public static let defaultBound = 1_024

    private let queue: WorkQueue<Read>
    private let thread: Thread

    /// Starts the thread. Throws `StorageFailure` if the system can't create one. `reporter` gets the reason if a
    /// question can't be answered.
    public init(
        _ reader: sending any LogReader, bound: Int = ReadThread.defaultBound,
        reporter: StorageReporter = StorageReporter(), deliver: @escaping @Sendable (ReadResult) -> Void
    ) throws {
        let queue = WorkQueue<Read>(bound: bound)
        self.queue = queue
        let worker = Worker(reader: reader, queue: queue, reporter: reporter, deliver: deliver)
        thread = try Thread { worker.run() }
    }

    /// Submits a question. Returns false, and gives no answer, if too many are waiting or after `stop()`.
    @discardableResult
    public func submit(_ read: Read) -> Bool {
        queue.add(read)
    }

    /// Answers what was submitted and joins the thread.
    public func stop() {
        queue.stop()
        thread.join()
    }

    /// `@unchecked Sendable`: it goes to the thread once, together with the reader.
    private final class Worker: @unchecked Sendable {
        private let reader: any LogReader
        private let queue: WorkQueue<Read>
        private let reporter: StorageReporter
        private let deliver: @Sendable (ReadResult) -> Void

        init(
            reader: any LogReader, queue: WorkQueue<Read>, reporter: StorageReporter,
            deliver: @escaping @Sendable (ReadResult) -> Void
        ) {
            self.reader = reader
            self.queue = queue
            self.reporter = reporter
            self.deliver = deliver
        }

        func run() {
            while let reads = queue.takeAll(.endless) {
                for read in reads {
                    deliver(answer(read))
                    // With a single core, lets a thread that was woken run now instead of after this time slice.
                    sched_yield()
                }
            }
        }

        private func answer(_ read: Read) -> ReadResult {
            do {
                return try reader.answer(read)
            } catch {
                reporter.note(.readFailed, "\(error)")
                return ReadResult(ticket: read.ticket, isFailed: true)
            }
        }
    }
}
