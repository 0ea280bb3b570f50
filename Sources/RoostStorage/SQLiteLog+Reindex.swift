import RoostCore
import RoostWire

extension SQLiteLog {
    /// Rebuilds everything derived from the log: the key index, the event index, the counts of reactions, the threads
    /// and which messages will disappear. No relay may have the store open. `progress` is called for each part, on the
    /// calling thread.
    ///
    /// The log itself isn't changed. Damaged rows are reported and left out.
    public static func reindex(
        path: String, durability: Durability = .full, reporter: StorageReporter = StorageReporter()
    ) throws(StorageFailure) {
        try reindex(path, durability, StorageBounds(), reporter: reporter)
    }

    static func reindex(
        _ path: String, _ durability: Durability, _ bounds: StorageBounds, reporter: StorageReporter
    ) throws(StorageFailure) {
        try changing(path, durability, reporter) { database in
            do {
                try makeEmpty(database) { "DROP TABLE IF EXISTS \($0)" }
            } catch let failure as StorageFailure where failure.isDamage {
                // SQLite can't drop a damaged table: the table is only forgotten, and its pages stay unused.
                try makeEmpty(database) {
                    """
                    PRAGMA writable_schema = ON;
                    DELETE FROM sqlite_schema WHERE tbl_name = '\($0)';
                    PRAGMA writable_schema = RESET
                    """
                }
            }
        }
        // Opening reads the log above the watermark, in parts.
        let log = try SQLiteLog(path, durability, bounds, reporter: reporter)
        defer { log.close() }
        do {
            _ = try log.checkpoint()
            // Damaged tables that were only forgotten have left their pages.
            _ = try StalePages.clean(log.writer.database) { _ in }
        } catch {
            throw error as? StorageFailure ?? .inconsistent("\(error)")
        }
    }

    /// Creates the derived tables anew, empty. `removal` is the SQL that removes the table of a given name.
    private static func makeEmpty(_ database: Database, _ removal: (String) -> String) throws {
        try database.transaction {
            for table in Schema.derivedTables { try database.execute(removal(table)) }
            try database.execute(Schema.indexes)
            try database.execute(Schema.countReactions)
            try database.execute(Schema.fillExpiring)
            try database.execute(Schema.fillThreads)
            try database.execute("UPDATE meta SET value = 0 WHERE name = 'indexed_to'")
        }
    }

    /// Runs `body` on the one connection to a store that no other process may have open.
    private static func changing(
        _ path: String, _ durability: Durability, _ reporter: StorageReporter, _ body: (Database) throws -> Void
    ) throws(StorageFailure) {
        do {
            let lock = try FileLock(for: path)
            defer { lock.release() }
            try StoreRestore.checkFinished(at: path)
            try StorePresence.check(path, note: LogNote(lock.descriptor).read())
            let database = try Database(path: path)
            defer { database.close() }
            try Migration.checkOwner(of: database)
            let bounds = StorageBounds()
            let foreign = ForeignWait(firstNotice: bounds.noticeMilliseconds, gauges: Gauges(), reporter: reporter)
            _ = try SQLiteLog.prepare(database, durability, bounds, foreign)
            try body(database)
        } catch {
            throw error as? StorageFailure ?? .inconsistent("\(error)")
        }
    }
}
