import RoostCore
import RoostWire

/// The parts needed to open the writer of a store, the first time and again after the disk was full. A value.
struct WriterOpening {
    /// ":memory:" if there is no file.
    let path: String
    /// SQLite's file layer; nil for that of the system.
    let vfs: String?
    let durability: Durability
    let bounds: StorageBounds
    let reactionsPerUser: Int
    let hash: SQLiteLog.Hash?
    let lock: ConnectionLock
    let gauges: Gauges
    let reporter: StorageReporter
    let foreign: ForeignWait
    /// nil for a store without a file of the system.
    let note: LogNote?
    /// Monotonic milliseconds.
    let clock: () -> Int64
    /// Milliseconds since 1970.
    let time: () -> Int64
    let retention: Retention

    private var isFile: Bool { durability != .memory }

    /// Opens the writer on a connection that is ready. If the disk is too full to index what is read, it stays in
    /// memory.
    func writer(on database: Database, files: OpenFiles?, room: Room) throws -> SQLiteWriter {
        do {
            return try writer(on: database, files: files, hasRoom: !room.isFull)
        } catch let failure as StorageFailure where failure.isFull && !room.isFull {
            room.noteFull()
            return try reopen(files: files, room: room)
        }
    }

    /// Opens the writer on a new connection, after another one found the disk full.
    func reopen(files: OpenFiles?, room: Room) throws -> SQLiteWriter {
        let database = try Database(path: path, vfs: vfs)
        // Otherwise this would be another store.
        try files?.check()
        _ = try SQLiteLog.prepare(database, durability, bounds, foreign)
        try foreign.until(ForeignWait.lock) { try database.unlessBusy { try database.cutWAL() } }
        return try writer(on: database, files: files, hasRoom: false)
    }

    private func writer(on database: Database, files: OpenFiles?, hasRoom: Bool) throws -> SQLiteWriter {
        var checkpointer: Checkpointer?
        if isFile {
            let copying = try Database(path: path, vfs: vfs)
            try copying.configureForCopying(durability)
            checkpointer = try Checkpointer(copying, isInline: vfs != nil)
        }
        let lookUps = isFile ? try Database(path: path, vfs: vfs) : database
        if isFile { try lookUps.configureForReading() }
        return try SQLiteWriter(
            SQLiteWriter.Parts(
                database: database, lookUps: lookUps, checkpointer: checkpointer, lock: lock, gauges: gauges,
                reporter: reporter, files: files, note: note, durability: durability, foreign: foreign,
                hasRoom: hasRoom, clock: clock, time: time, retention: retention, hash: hash, bounds: bounds,
                reactionsPerUser: reactionsPerUser))
    }
}
