import Dispatch
import Glibc
import Logging
import RoostAuth
import RoostStore

/// The one connection to the services' file, and the one thread at a time that uses it: never one of Swift's pool,
/// because each commit waits for the disk. It knows no table.
package actor ServicesDatabase {
    private nonisolated let queue = DatabaseQueue()
    private let database: LocalDatabase
    private let log: Logger
    private let file: OpenedFile
    // Whether something that was deleted or replaced may still be in the write-ahead log.
    private var mustForget = true

    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Opens the file, or creates it. A process before this one may have been killed before it could `forget`.
    /// - Parameter mayBegin: whether it may be without tables, as a new one is.
    /// - Throws: `LocalFailure`, if it can't be used for now; `KeyFailure`, if a restart won't help.
    package init(
        path: String, migrations: [LocalMigration] = ServicesDatabase.migrations, mayBegin: Bool = true, log: Logger
    ) async throws {
        self.log = log
        do throws(LocalFailure) {
            if !mayBegin, try LocalDatabase(path: path, migrations: nil, mayCreate: false).applied().isEmpty {
                throw LocalFailure(description: "has no tables, although it had some; put a backup there")
            }
            try UpgradeCopy.make(of: path, before: migrations, log)
            database = try LocalDatabase(path: path, migrations: migrations)
        } catch {
            guard !error.mayPass else { throw error }
            throw KeyFailure("\(path): \(ServicesDatabase.mend(of: error))")
        }
        file = OpenedFile(path)
        cleanOnce()
        try forgetRest()
    }

    /// Opens the file for a command beside the process that serves. It is never made here, nor brought to another form:
    /// the process may be running, and makes a copy before it does.
    /// - Throws: `LocalFailure`, if it can't be used for now; `KeyFailure`, if a restart won't help.
    package init(existing path: String, log: Logger) async throws {
        self.log = log
        let applied: Set<String>
        do throws(LocalFailure) {
            database = try LocalDatabase(path: path, migrations: nil, mayCreate: false)
            applied = try database.applied()
        } catch {
            guard !error.mayPass else { throw error }
            throw KeyFailure("\(path): \(ServicesDatabase.mend(of: error))")
        }
        guard applied == Set(ServicesDatabase.migrations.map(\.name)) else {
            throw KeyFailure("\(path): is of another version; start the services of this one once")
        }
        file = OpenedFile(path)
    }

    /// A version before this one left copies of what was deleted where SQLite had moved a row. The file's own number
    /// says whether it was written anew since. If there is no room for that, the next start tries again.
    private func cleanOnce() {
        do throws(LocalFailure) {
            guard try database.rows("PRAGMA user_version", [], { $0.integer(0) }) == [0] else { return }
            try database.execute("VACUUM; PRAGMA user_version = 1")
        } catch {
            log.warning("the database couldn't be written anew", metadata: ["failure": "\(error)"])
        }
    }

    private static func mend(of failure: LocalFailure) -> String {
        guard failure.isDamage else { return failure.description }
        return "is damaged (\(failure)); put a backup in its place, and delete what ends in -wal and -shm beside it"
    }

    // The last checkpoint writes, too.
    isolated deinit {}

    /// Runs `body` as one transaction: all of it is on disk when this returns, or nothing.
    package func write<Result: Sendable>(
        _ body: @Sendable (LocalDatabase) throws(LocalFailure) -> Result
    ) throws(ServiceFault) -> Result {
        try checkPlace()
        do throws(LocalFailure) {
            mustForget = true
            return try database.transaction { () throws(LocalFailure) in try body(database) }
        } catch {
            throw fault(error)
        }
    }

    /// Reads.
    package func read<Result: Sendable>(
        _ body: @Sendable (LocalDatabase) throws(LocalFailure) -> Result
    ) throws(ServiceFault) -> Result {
        try checkPlace()
        do throws(LocalFailure) { return try body(database) } catch { throw fault(error) }
    }

    /// Leaves nothing of what was deleted in the write-ahead log, which keeps older pages until it begins anew.
    package func forget() throws(ServiceFault) {
        mustForget = true
        try forgetRest()
    }

    /// The same, if something was written since, or it was prevented before: another program that reads the file keeps
    /// the log as it is.
    package func forgetRest() throws(ServiceFault) {
        guard mustForget else { return }
        do throws(LocalFailure) {
            mustForget = try !database.forget()
            if mustForget { log.warning("another program reads the database, so what was deleted is in its log still") }
        } catch {
            throw fault(error)
        }
    }

    // Writes to a file that has no name any more end with this process.
    private func checkPlace() throws(ServiceFault) {
        guard file.isInPlace else {
            log.error("the database was deleted, moved or replaced while it was open; put it back, or start again")
            throw ServiceFault(.unavailable, "the data isn't where it was", retryAfter: 5)
        }
    }

    private func fault(_ failure: LocalFailure) -> ServiceFault {
        // It names the statement and never its values.
        log.error("the database failed", metadata: ["failure": "\(failure)"])
        return ServiceFault(.unavailable, "the data can't be read or written at the moment", retryAfter: 5)
    }
}

/// A dispatch queue as an executor.
private final class DatabaseQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "roost.services.database")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// A file as it was when it was opened.
private struct OpenedFile: Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    init(_ path: String) {
        self.path = path
        (device, inode) = OpenedFile.place(of: path)
    }

    /// Whether its path still leads to it.
    var isInPlace: Bool { OpenedFile.place(of: path) == (device, inode) }

    private static func place(of path: String) -> (dev_t, ino_t) {
        var status = stat()
        return stat(path, &status) == 0 ? (status.st_dev, status.st_ino) : (0, 0)
    }
}
