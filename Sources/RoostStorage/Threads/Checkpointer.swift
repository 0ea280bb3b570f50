import CSQLite
import Glibc
import RoostWire

/// Copies the write-ahead log into the database on a thread and a connection of its own, while the writer goes on
/// committing: a commit would otherwise wait for the fsync of some thousand pages. The writer's thread says when, one
/// pass at a time, and takes every result. A pass waits for nobody, and copies what was committed when it began, as far
/// as readers allow; so only the writer can copy the last of it, after which the log begins anew.
final class Checkpointer {
    private let requests = WorkQueue<Void>(bound: 1)
    private let results = WorkQueue<Result<Void, any Error>>(bound: 1)
    private let worker: Worker
    /// nil: passes run on the caller's thread.
    private let thread: Thread?
    private var isUnderWay = false

    /// Used by the thread until `stop()`.
    var database: Database { worker.database }

    /// `database`: a connection that nobody else uses. `isInline`: `begin()` runs the pass itself, so that a simulation
    /// has one thread and one order of things.
    init(_ database: sending Database, isInline: Bool = false) throws {
        // The writer's connection is closed after this one; only it may copy then, and not if it is poisoned.
        database.keepWALOnClose()
        let worker = Worker(database: database, requests: requests, results: results)
        self.worker = worker
        thread = isInline ? nil : try Thread { worker.run() }
    }

    deinit { stop() }

    /// Begins a pass. None may be under way.
    func begin() {
        isUnderWay = requests.add(())
        if thread == nil, isUnderWay { worker.runOnce() }
    }

    /// Whether a pass is under way. Throws once what a pass failed with.
    func isBusy() throws -> Bool {
        try take(results.takeAll(.none))
        return isUnderWay
    }

    /// Waits for the pass that is under way. Throws as `isBusy` does.
    func wait() throws {
        if isUnderWay { try take(results.takeAll(.endless)) }
    }

    /// Finishes the pass that is under way, joins and closes the connection.
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

    /// `@unchecked Sendable`: its connection is used by the thread, and closed after the thread was joined.
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
            // Linux: of the calling thread alone. Where cores are few, a pass would take them from the loop and the
            // writer, for which messages wait.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            while runOnce() {}
        }

        /// Waits for a request and carries it out; false after `stop()`.
        @discardableResult
        func runOnce() -> Bool {
            guard requests.takeAll(.endless) != nil else { return false }
            _ = results.add(Result { _ = try database.checkpoint(SQLITE_CHECKPOINT_PASSIVE) })
            return true
        }
    }
}
