import CSQLite
import Glibc
import RoostCore
import RoostWire

/// The log in one SQLite file. Opens it, brings its schema up to date, and owns the writer and the readers. Used by the
/// thread that starts and stops the relay; between `load` and `checkpoint` the writer and the readers are on their own
/// threads.
///
/// `full` and `normal` use a file in WAL mode, with a connection each for the writer, each reader and the checkpointer.
/// `memory` is an in-memory database with one connection, which writer and readers use in turn; its path is ignored.
public final class SQLiteLog {
    /// The name of the newest migration that this version knows.
    public static let newestSchema = Migration.all.last?.name ?? ""

    /// Replaces the store's own hash of sender and key. For tests of collisions.
    typealias Hash = @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64

    /// Commits batches, on one thread.
    public let storeWriter: StoreWriter
    /// Answer questions, each on one thread.
    public let readers: [SQLiteReader]
    /// Gets notices for operators.
    public let reporter: StorageReporter
    let durability: Durability
    /// nil for a store without a file of the system.
    let note: LogNote?
    /// The note's contents when the store was opened, until they have been compared.
    var lastNote: LogNote.Content?
    /// Whether the write-ahead log had lost commits that were synced, until that has been reported.
    var isWALCut: Bool
    private let fileLock: FileLock?
    private let gauges: Gauges
    private let foreign: ForeignWait

    /// The writer of the present connection.
    var writer: SQLiteWriter { storeWriter.writer }

    /// The store's statistics. From any thread.
    public var statistics: StorageStatistics {
        var now = gauges.now
        now.notices = reporter.counts
        return now
    }

    /// Opens or creates the store. Throws a `StorageFailure`, one line that names the file and says what to do.
    /// `reactionsPerUser` limits the different reactions of one user to one message. While fewer bytes than `freeFloor`
    /// are free on the disk, nothing is stored. `retention` says what is erased because of its age or size.
    public convenience init(
        path: String, durability: Durability, reactionsPerUser: Int = Limits().reactionsPerUser, freeFloor: Int64 = 0,
        retention: Retention = Retention(), reporter: StorageReporter = StorageReporter()
    ) throws(StorageFailure) {
        try self.init(
            path, durability, StorageBounds(), reactionsPerUser: reactionsPerUser, freeFloor: freeFloor,
            retention: retention, reporter: reporter)
    }

    /// Opens or creates the store on an SQLite file layer registered by a simulation as `vfs`, with bounds so small
    /// that everything happens after a few rows. It uses no other threads and nothing random, so the same calls cause
    /// the same file operations. Other processes are not kept out. `free` returns the number of free bytes on the disk;
    /// nil if it is unknown.
    package convenience init(
        simulatedAt path: String, vfs: String, durability: Durability, reactionsPerUser: Int, freeFloor: Int64 = 0,
        free: (() -> Int64)? = nil
    ) throws(StorageFailure) {
        let keyed = KeyHash(key0: 1, key1: 2)
        try self.init(
            path, durability, .simulated, reactionsPerUser: reactionsPerUser, freeFloor: freeFloor,
            hash: { keyed($0, $1) }, vfs: vfs, free: free)
    }

    init(
        _ path: String, _ durability: Durability, _ bounds: StorageBounds,
        reactionsPerUser: Int = Limits().reactionsPerUser, freeFloor: Int64 = 0, retention: Retention = Retention(),
        time: @escaping () -> Int64 = wallMilliseconds, reporter: StorageReporter = StorageReporter(),
        hash: Hash? = nil, vfs: String? = nil, free: (() -> Int64)? = nil, migrations: [Migration] = Migration.all
    ) throws(StorageFailure) {
        self.reporter = reporter
        do {
            let isFile = durability != .memory
            let isOfSystem = isFile && vfs == nil
            let path = isFile ? path : ":memory:"
            fileLock = isOfSystem ? try FileLock(for: path) : nil
            note = fileLock.map { LogNote($0.descriptor) }
            lastNote = note?.read()
            self.durability = durability
            if fileLock != nil { try StoreRestore.checkFinished(at: path) }
            if isOfSystem {
                try StorePresence.check(path, note: lastNote)
                Ownership.prepareStore(at: path)
            }
            let gauges = Gauges()
            self.gauges = gauges
            foreign = ForeignWait(firstNotice: bounds.noticeMilliseconds, gauges: gauges, reporter: reporter)
            let clock = vfs == nil ? monotonicMilliseconds : SQLiteLog.countingClock()
            let database = try Database(path: path, vfs: vfs)
            try Migration.checkOwner(of: database)
            // SQLite has created it by now.
            try fileLock?.lockStore()
            if isOfSystem { for line in Ownership.warnings(ofStore: path) { reporter.note(.permissions, line) } }
            if isOfSystem { try UpgradeBackup.make(of: database, before: migrations, reporter) }
            isWALCut = try SQLiteLog.prepare(database, durability, bounds, foreign, migrations)
            if vfs != nil, try database.value("SELECT value FROM meta WHERE name = 'epoch'") != "simulate" {
                try database.execute("UPDATE meta SET value = 'simulate' WHERE name = 'epoch'")
            }
            let room = Room(
                floor: freeFloor, bounds: bounds, clock: clock, gauges: gauges, reporter: reporter,
                measure: { isOfSystem ? Room.free(at: path) : free?() })
            let lock = ConnectionLock(isShared: !isFile)
            storeWriter = try StoreWriter(
                WriterOpening(
                    path: path, vfs: vfs, durability: durability, bounds: bounds, reactionsPerUser: reactionsPerUser,
                    hash: hash, lock: lock, gauges: gauges, reporter: reporter, foreign: foreign, note: note,
                    clock: clock, time: time, retention: retention),
                on: database, room: room, files: isOfSystem ? try OpenFiles(of: database) : nil)
            let tail = storeWriter.writer.indexer.tail
            // In a simulation everything is on one thread.
            readers = try (0..<(vfs == nil ? ReadPool.threads : 1)).map { _ in
                let reading = isFile ? try Database(path: path, vfs: vfs) : database
                if isFile { try reading.configureForReading() }
                return try SQLiteReader(database: reading, tail: tail, lock: lock, reporter: reporter, bounds: bounds)
            }
            guard durability == .full else { return }
            try writer.database.syncWAL()
            // A full disk has no room for it, and needs none for what isn't written.
            do { try storeWriter.unlessFull { try writer.checkpoints.reserve() } } catch is NoRoom {}
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
    /// Nothing is written if nothing has to be, so that a store on a full disk can be opened.
    static func prepare(
        _ database: Database, _ durability: Durability, _ bounds: StorageBounds, _ foreign: ForeignWait,
        _ migrations: [Migration] = Migration.all
    ) throws -> Bool {
        database.lockTimeout = bounds.lockMilliseconds
        let tail = durability == .memory ? .clean : try WALTail(of: database)
        try database.configureForWriting(durability, walFramesMax: bounds.checkpoints.framesBound)
        try foreign.until(ForeignWait.lock) {
            try database.unlessBusy {
                // The rest of a commit would look like a later one if the next commit were cut short, too.
                if tail == .torn { try database.cutWAL() }
                guard try tail == .lost || !Migration.isComplete(migrations, in: database) else { return }
                try Migration.apply(migrations, to: database) {
                    if tail == .lost { try database.execute(Schema.renewEpoch) }
                }
            }
        }
        if tail == .lost { _ = try database.emptyWAL() }
        return tail == .lost
    }

    /// A clock for simulations: each reading is a second later.
    private static func countingClock() -> () -> Int64 {
        var now: Int64 = 0
        return {
            now += 1_000
            return now
        }
    }

    /// Copies the whole write-ahead log into the database and empties it. For a clean stop, when all threads are idle.
    /// Returns whether all of it was copied. `areMarksStored` says whether no watermark waits to be stored any more.
    public func checkpoint(areMarksStored: Bool = false) throws -> Bool {
        try writer.transactions.checkUsable()
        if areMarksStored {
            // Otherwise the next start looks for them.
            do { try storeWriter.noteMarked() } catch is NoRoom {}
        }
        try writer.checkpoints.wait()
        return try writer.database.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }

    /// Ends a wait for another program that keeps the store from storing. The commit under way then fails. Call it
    /// before the threads are stopped; from any thread.
    public func giveUpWaiting() { foreign.giveUp() }

    /// Closes all connections and lets the file go. All threads must have stopped.
    public func close() {
        for reader in readers { reader.close() }
        if writer.close(), let note, !note.end() { reporter.noteUnwritten() }
        fileLock?.release()
    }
}
