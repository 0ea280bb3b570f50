import Dispatch
import RoostCore
import RoostStorage
import RoostWire
import Synchronization

/// Drives the log as the server does. While the commit thread works on one batch, the next one is made, and handed over
/// when the report has arrived. In between, the commit thread does its maintenance. Main thread only; only the mailbox
/// is shared.
final class BenchRun {
    private let log: SQLiteLog
    private let thread: CommitThread
    private let mailbox = ReportMailbox()

    init(_ log: SQLiteLog) throws {
        self.log = log
        thread = try CommitThread(log.storeWriter) { [mailbox] in mailbox.put($0) }
    }

    func stop() { thread.stop() }

    /// Commits batches without measuring.
    func prepare(_ batches: [[Mutation]]) throws {
        for batch in batches {
            try submit(batch)
            _ = try mailbox.take().result.get()
        }
    }

    /// Commits all rows of the source and measures.
    func append(_ rows: inout RowSource, _ arguments: BenchArguments) throws -> BenchFigures {
        var took: [Double] = []
        took.reserveCapacity(arguments.rows / arguments.batch + 1)
        var tenths = TenthTimer(rows: arguments.rows)
        let checkpoints = log.statistics.checkpoints
        let cpu = BenchClock.cpu()
        tenths.start()
        var batch = rows.next(arguments.batch)
        while !batch.isEmpty {
            try submit(batch)
            let wanted = batch.count
            batch = rows.next(arguments.batch)
            let report = mailbox.take()
            _ = try report.result.get()
            guard report.rows == wanted else { throw BenchFailure("\(report.rows) of \(wanted) rows were stored") }
            took.append(Double(report.nanoseconds) / 1e6)
            tenths.note(rows: wanted)
        }
        took.sort()
        let cpuSeconds = BenchClock.cpu() - cpu
        // The writer is idle now, and its thread has nothing left to do.
        thread.stop()
        let newKeys = try lookForNewKeys()
        return BenchFigures(
            rows: arguments.rows, seconds: tenths.seconds, rowsPerSecond: Double(arguments.rows) / tenths.seconds,
            tenths: tenths.rates, cpuSeconds: cpuSeconds, commits: took.count,
            commitMillisecondsMedian: took[took.count / 2], commitMillisecondsP99: took[took.count * 99 / 100],
            commitMillisecondsMax: took.last ?? 0,
            durability: arguments.durability.rawValue, checkpoints: log.statistics.checkpoints - checkpoints,
            storedKeys: arguments.storedKeys, newKeyMicroseconds: newKeys.microseconds,
            doubtedPerThousand: newKeys.doubtedPerThousand, keyFilterBytes: log.statistics.keyFilterBytes,
            residentBytesMax: BenchClock.residentBytesMax())
    }

    /// Measures the cost of a key that isn't there.
    private func lookForNewKeys() throws -> (microseconds: Double, doubtedPerThousand: Double) {
        let count = 1_000_000
        let cpu = BenchClock.cpu()
        let doubted = try log.lookForNewKeys(count)
        return ((BenchClock.cpu() - cpu) * 1e6 / Double(count), Double(doubted) * 1_000 / Double(count))
    }

    private func submit(_ batch: [Mutation]) throws {
        guard thread.submit(batch) else { throw BenchFailure("the writer's thread refused a batch") }
    }
}

/// Passes reports from the commit thread to the main thread.
final class ReportMailbox: Sendable {
    private let reports = Mutex<[CommitReport]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func put(_ report: CommitReport) {
        reports.withLock { $0.append(report) }
        arrived.signal()
    }

    /// Waits for the next report.
    func take() -> CommitReport {
        arrived.wait()
        return reports.withLock { $0.removeFirst() }
    }
}

/// Measures the rate of each tenth of the rows. A tenth ends with the batch that completes it. A value.
struct TenthTimer {
    private(set) var rates: [Double] = []
    private(set) var seconds = 0.0
    private let rows: Int
    private var done = 0
    private var began = 0.0
    private var tenthBegan = (time: 0.0, rows: 0)

    init(rows: Int) { self.rows = rows }

    mutating func start() {
        began = BenchClock.wall()
        tenthBegan = (began, 0)
    }

    mutating func note(rows count: Int) {
        done += count
        guard done * 10 >= rows * (rates.count + 1) else { return }
        let now = BenchClock.wall()
        rates.append(Double(done - tenthBegan.rows) / (now - tenthBegan.time))
        tenthBegan = (now, done)
        seconds = now - began
    }
}
