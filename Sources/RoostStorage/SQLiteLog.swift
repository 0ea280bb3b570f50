import CSQLite
import Glibc
import RoostCore
import RoostWire

/// The log in one SQLite file. Opens it, brings its schema up to date, and owns the writer and the reader. Used by the
/// thread that starts and stops the relay; between `load` and `checkpoint` the writer and the reader are on their own
/// threads.
///
/// `full` and `normal` use a file in WAL mode, with a connection each for the writer, the reader and the checkpointer.
/// `memory` is an in-memory database with one connection, which writer and reader use in turn; its path is ignored.
public final class SQLiteLog {
    /// Replaces the store's own hash of sender and key. For tests of collisions.
    typealias Hash = @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64

    /// Commits batches, on one thread.
    public let writer: SQLiteWriter
    /// Answers questions, on one thread.
    public let reader: SQLiteReader
    /// Gets notices for operators.
    public let reporter: StorageReporter
    let durability: Durability
    /// nil for a store without a file of the system.
    let note: LogNote?
    /// What the note said when the store was opened, until it has been compared.
    var lastNote: LogNote.Content?
    /// Whether the write-ahead log had lost commits that were synced, until that has been told.
    var isWALCut: Bool
    private let fileLock: FileLock?
    private let gauges: Gauges

    /// What the store says of itself. From any thread.
    public var statistics: StorageStatistics {
        var now = gauges.now
        now.notices = reporter.counts
        return now
    }

    /// Opens or creates the store. Throws a `StorageFailure`, one line that names the file and says what to do.
    /// `reactionsPerUser` limits the different reactions of one user to one message.
    public convenience init(
        path: String, durability: Durability, reactionsPerUser: Int = Limits().reactionsPerUser,
        reporter: StorageReporter = StorageReporter()
    ) throws(StorageFailure) {
        try self.init(
            path, durability, StorageBounds(), reactionsPerUser: reactionsPerUser, reporter: reporter)
    }

    /// Opens or creates the store on an SQLite file layer registered by a simulation as `vfs`, with bounds so small
    /// that everything happens after a few rows. It uses no other threads and nothing random, so the same calls cause
    /// the same file operations. Other processes are not kept out.
    package convenience init(
        simulatedAt path: String, vfs: String, durability: Durability, reactionsPerUser: Int
    ) throws(StorageFailure) {
        let keyed = KeyHash(key0: 1, key1: 2)
        try self.init(
            path, durability, .simulated, reactionsPerUser: reactionsPerUser, hash: { keyed($0, $1) }, vfs: vfs)
    }

    init(
        _ path: String, _ durability: Durability, _ bounds: StorageBounds,
        reactionsPerUser: Int = Limits().reactionsPerUser, reporter: StorageReporter = StorageReporter(),
        hash: Hash? = nil, vfs: String? = nil
    ) throws(StorageFailure) {
        self.reporter = reporter
        do {
            let isFile = durability != .memory
            let path = isFile ? path : ":memory:"
            fileLock = isFile && vfs == nil ? try FileLock(for: path) : nil
            note = fileLock.map { LogNote($0.descriptor) }
            lastNote = note?.read()
            self.durability = durability
            if fileLock != nil { try StoreRestore.checkFinished(at: path) }
            if let lastNote, lastNote.position > 0, access(path, F_OK) != 0 {
                throw StorageFailure.missing(path: path, position: lastNote.position)
            }
            let database = try Database(path: path, vfs: vfs)
            try Migration.checkOwner(of: database)
            // SQLite has created it by now.
            try fileLock?.lockStore()
            isWALCut = try SQLiteLog.prepare(database, durability, bounds)
            if vfs != nil { try database.execute("UPDATE meta SET value = 'simulate' WHERE name = 'epoch'") }
            gauges = Gauges()
            let lock = ConnectionLock(isShared: !isFile)
            var checkpointer: Checkpointer?
            if isFile {
                let copying = try Database(path: path, vfs: vfs)
                try copying.configureForCopying(durability)
                checkpointer = try Checkpointer(copying, isInline: vfs != nil)
            }
            let lookUps = isFile ? try Database(path: path, vfs: vfs) : database
            if isFile { try lookUps.configureForReading() }
            writer = try SQLiteWriter(
                SQLiteWriter.Parts(
                    database: database, lookUps: lookUps, checkpointer: checkpointer, lock: lock, gauges: gauges,
                    reporter: reporter, files: isFile && vfs == nil ? try OpenFiles(of: database) : nil, note: note,
                    durability: durability, clock: vfs == nil ? monotonicMilliseconds : SQLiteLog.countingClock(),
                    hash: hash, bounds: bounds, reactionsPerUser: reactionsPerUser))
            if durability == .full { try database.reserveWAL(frames: bounds.reservedFrames) }
            let reading = isFile ? try Database(path: path, vfs: vfs) : database
            if isFile { try reading.configureForReading() }
            reader = try SQLiteReader(
                database: reading, tail: writer.indexer.tail, lock: lock, reporter: reporter, bounds: bounds)
        } catch StorageFailure.failed(_, SQLITE_NOTADB, _) {
            throw .notADatabase(path: path)
        } catch let failure as StorageFailure {
            throw failure
        } catch {
            throw .failed(operation: "open", code: SQLITE_ERROR, message: "\(error)")
        }
    }

    /// Makes the writing connection ready: its settings, and the schema. Returns whether the write-ahead log had lost
    /// commits that were synced; then the log has a new epoch already, because what shows the loss is overwritten now.
    static func prepare(_ database: Database, _ durability: Durability, _ bounds: StorageBounds) throws -> Bool {
        let tail = durability == .memory ? .clean : try WALTail(of: database)
        try database.configureForWriting(durability, walFramesMax: bounds.checkpoints.framesBound)
        // What is left of a commit would look like a later one if the next commit were cut short, too.
        if tail == .torn { _ = try database.emptyWAL() }
        try Migration.apply(to: database) {
            if tail == .lost { try database.execute(Schema.renewEpoch) }
        }
        if tail == .lost { _ = try database.emptyWAL() }
        return tail == .lost
    }

    /// A clock for simulations: a second passes whenever somebody looks.
    private static func countingClock() -> () -> Int64 {
        var now: Int64 = 0
        return {
            now += 1_000
            return now
        }
    }

    /// Copies the whole write-ahead log into the database and empties it. For a clean stop, when both threads are idle.
    /// Returns whether all of it was copied.
    public func checkpoint() throws -> Bool {
        try writer.transactions.checkUsable()
        try writer.checkpoints.wait()
        return try writer.database.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }

    /// Ends a wait for another program that keeps the store from storing. The commit under way then fails. Call it
    /// before the threads are stopped; from any thread.
    public func giveUpWaiting() { writer.giveUpWaiting() }

    /// Closes all connections and lets the file go. Both threads must have stopped.
    public func close() {
        reader.close()
        if writer.close() { note?.end() }
        fileLock?.release()
    }
}
