import CSQLite
import Glibc
import RoostWire

/// Copies the write-ahead log into the database on its own thread and connection while the writer continues to commit;
/// otherwise a commit would wait for the fsync of thousands of pages. The writer's thread starts each pass and collects
/// its result. A pass never waits. It copies what was committed when it began, as far as readers allow, so only the
/// writer can copy the rest, after which the log starts anew.
final class Checkpointer {
    private let requests = WorkQueue<Void>(bound: 1)
    private let results = WorkQueue<Result<Void, any Error>>(bound: 1)
    private let worker: Worker
    /// nil if passes run on the caller's thread.
    private let thread: Thread?
    private var isUnderWay = false

    /// Used by the thread until `stop()`.
    var database: Database { worker.database }

    /// `database` is a connection that isn't used elsewhere. With `isInline`, `begin()` runs the pass itself, so that a
    /// simulation has one thread and one order of events.
    init(_ database: sending Database, isInline: Bool = false) throws {
        // The writer's connection is closed after this one. Only the writer may copy then, and only if it isn't
        // poisoned.
        database.keepWALOnClose()
        let worker = Worker(database: database, requests: requests, results: results)
        self.worker = worker
        thread = isInline ? nil : try Thread { worker.run() }
    }

    deinit { stop() }

    /// Begins a pass. No other pass may be running.
    func begin() {
        isUnderWay = requests.add(())
        if thread == nil, isUnderWay { worker.runOnce() }
    }

    /// Whether a pass is running. If a pass failed, throws its error once.
    func isBusy() throws -> Bool {
        try take(results.takeAll(.none))
        return isUnderWay
    }

    /// Waits for the running pass. Throws as `isBusy` does.
    func wait() throws {
        if isUnderWay { try take(results.takeAll(.endless)) }
    }

    /// Finishes the running pass, joins the thread and closes the connection.
    func stop() {
        requests.stop()
        thread?.join()
        database.close()
    }

    private func take(_ finished: [Result<Void, any Error>]?) throws {
        guard let result = finished?.first else { return }
        isUnderWay = false
        try result.get()
    }

    /// `@unchecked Sendable`: its connection is used by the thread and closed after the thread has been joined.
    private final class Worker: @unchecked Sendable {
        let database: Database
        private let requests: WorkQueue<Void>
        private let results: WorkQueue<Result<Void, any Error>>

        init(database: Database, requests: WorkQueue<Void>, results: WorkQueue<Result<Void, any Error>>) {
            self.database = database
            self.requests = requests
            self.results = results
        }

        func run() {
            // On Linux this affects only the calling thread. With few cores, a pass would take CPU time from the loop
            // and the writer, which messages wait for.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            while runOnce() {}
        }

        /// Waits for a request and runs it. Returns false after `stop()`.
        @discardableResult
        func runOnce() -> Bool {
            guard requests.takeAll(.endless) != nil else { return false }
            _ = results.add(Result { _ = try database.checkpoint(SQLITE_CHECKPOINT_PASSIVE) })
            return true
        }
    }
}
