import Glibc
import RoostCore

/// The threads that read, each with a reader of its own until the end of `stop()`. Users take turns, and each user has
/// two lanes: pages of catch-up, and queries that a client waits for. The answers of one lane come in order. They go to
/// `deliver`, called on these threads; `deliver` must return at once.
public final class ReadPool {
    /// Most waiting queries: a few milliseconds of work each at worst, about a second in all.
    public static let defaultBound = 1_024
    /// One user keeps two threads busy at most, one with each lane. The third one is for the others.
    public static let threads = 3

    private struct Lane: Hashable {
        var user: UserNumber
        var isOfPages: Bool

        init(_ read: Read) {
            user = read.asker
            if case .page = read.question { isOfPages = true } else { isOfPages = false }
        }
    }

    private let queue: FairQueue<Lane, Read>
    private let threads: [Thread]

    /// Starts a thread for each reader. Throws `StorageFailure` if the system can't create one. `reporter` gets the
    /// reason if a question can't be answered.
    public init(
        _ readers: sending [any LogReader], bound: Int = ReadPool.defaultBound,
        reporter: StorageReporter = StorageReporter(), deliver: @escaping @Sendable (ReadResult) -> Void
    ) throws {
        let queue = FairQueue<Lane, Read>(bound: bound)
        self.queue = queue
        var threads: [Thread] = []
        do {
            for reader in readers {
                let worker = Worker(reader: reader, queue: queue, reporter: reporter, deliver: deliver)
                threads.append(try Thread { worker.run() })
            }
        } catch {
            queue.stop()
            for thread in threads { thread.join() }
            throw error
        }
        self.threads = threads
    }

    /// Submits a question. Returns false, and gives no answer, if too many are waiting or after `stop()`.
    @discardableResult
    public func submit(_ read: Read) -> Bool {
        queue.add(read, to: Lane(read))
    }

    /// Answers what was submitted and joins the threads.
    public func stop() {
        queue.stop()
        for thread in threads { thread.join() }
    }

    /// `@unchecked Sendable`: it goes to its thread once, together with the reader.
    private final class Worker: @unchecked Sendable {
        private let reader: any LogReader
        private let queue: FairQueue<Lane, Read>
        private let reporter: StorageReporter
        private let deliver: @Sendable (ReadResult) -> Void

        init(
            reader: any LogReader, queue: FairQueue<Lane, Read>, reporter: StorageReporter,
            deliver: @escaping @Sendable (ReadResult) -> Void
        ) {
            self.reader = reader
            self.queue = queue
            self.reporter = reporter
            self.deliver = deliver
        }

        func run() {
            while let (lane, read) = queue.take() {
                deliver(answer(read))
                queue.done(with: lane)
                // With a single core, lets a thread that was woken run now instead of after this time slice.
                sched_yield()
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
