import Glibc
import RoostCore

/// The thread that reads. It owns the reader from its start to the end of `stop()`, and answers in the order of the
/// questions, on this thread, by `deliver`, which must hand the answer over at once.
public final class ReadThread {
    /// Questions that may wait: some milliseconds' work each at worst, so about a second of it.
    public static let defaultBound = 1_024

    private let queue: WorkQueue<Read>
    private let thread: Thread

    /// Starts the thread. Throws `StorageFailure` if there is none to be had. `reporter` hears why a question could not
    /// be answered.
    public init(
        _ reader: sending any LogReader, bound: Int = ReadThread.defaultBound,
        reporter: StorageReporter = StorageReporter(), deliver: @escaping @Sendable (ReadResult) -> Void
    ) throws {
        let queue = WorkQueue<Read>(bound: bound)
        self.queue = queue
        let worker = Worker(reader: reader, queue: queue, reporter: reporter, deliver: deliver)
        thread = try Thread { worker.run() }
    }

    /// Asks. False, and nothing is answered, if too many wait already or after `stop()`.
    @discardableResult
    public func submit(_ read: Read) -> Bool {
        queue.add(read)
    }

    /// Answers what was submitted and joins.
    public func stop() {
        queue.stop()
        thread.join()
    }

    /// `@unchecked Sendable`: it goes to the thread once, with the reader in it.
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
                    // On one core: whoever was woken meanwhile has its turn now, not at the end of a time slice.
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
