import CSQLite
import Glibc

/// Opens the file of a store for commands that only read it, whether a relay is running on it or not.
enum StoreFile {
    /// A store's summary of itself.
    struct Summary: Equatable {
        /// The newest position that was given.
        var head: Int64
        var epoch: String
        /// Rows up to this position are in the indexes.
        var indexedTo: Int64
        /// The key index is complete up to this position.
        var keysTo: Int64
    }

    /// Throws `noStore` unless there is a file; SQLite would make one. Throws `emptied` or `empty` if it has 0 bytes.
    static func checkExists(_ path: String) throws {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { throw ToolFailure.noStore(path: path) }
        guard found.st_size == 0 else { return }
        try StorePresence.check(path, note: note(beside: path))
        throw ToolFailure.empty(path: path)
    }

    static func note(beside path: String) -> LogNote.Content? {
        let descriptor = Glibc.open(path + ".lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return LogNote(descriptor).read()
    }

    /// A connection that changes nothing of the store. It has read once, so that an unreadable store is reported here.
    ///
    /// SQLite itself changes much for a reader: the last connection to close moves the write-ahead log into the
    /// database and deletes it, and one that may not write leaves empty files beside it. The files that are there
    /// decide how to open it without a change.
    static func openForReading(_ path: String) throws -> Database {
        try checkExists(path)
        do {
            return try checked(connect(path))
        } catch {
            // A medium that can't be written to, with a backup on it that says it has a write-ahead log but has none.
            let real = Ownership.realPath(of: path)
            guard byteCount(real + "-wal") == 0, access(Folder.path(of: real), W_OK) != 0 else { throw error }
            return try checked(Database(path: path, flags: SQLITE_OPEN_READONLY, parameter: "immutable=1"))
        }
    }

    private static func connect(_ path: String) throws -> Database {
        let real = Ownership.realPath(of: path)
        let (hasLog, hasIndex) = (access(real + "-wal", F_OK) == 0, access(real + "-shm", F_OK) == 0)
        let isLogEmpty = byteCount(real + "-wal") == 0
        // A rollback journal would be rolled back.
        guard byteCount(real + "-journal") == 0 else { return try Database(path: path, flags: SQLITE_OPEN_READONLY) }
        if FileLock.isHeld(for: path) {
            // The index is the relay's. If it ends meanwhile, the log stays as it leaves it.
            return try Database(path: path, flags: isLogEmpty ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
        }
        if hasLog, hasIndex {
            // SQLite makes an index of the log in memory and leaves the one of the file as it is.
            return try Database(path: path, flags: SQLITE_OPEN_READONLY, parameter: "readonly_shm=1")
        }
        let isWritable = access(real, W_OK) == 0 && access(Folder.path(of: real), W_OK) == 0
        guard hasLog || hasIndex, isWritable else {
            // Removes the empty files that it makes.
            return try Database(path: path, flags: isLogEmpty ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
        }
        // Files that were copied without the index, for example. Alone with them, SQLite needs no file for it.
        let database = try Database(path: path, flags: SQLITE_OPEN_READWRITE)
        if hasLog { database.keepWALOnClose() }
        try database.execute("PRAGMA locking_mode = EXCLUSIVE")
        return database
    }

    private static func checked(_ database: Database) throws -> Database {
        do {
            try checkSchema(of: database)
            try database.configureForReading()
            return database
        } catch StorageFailure.failed(_, SQLITE_NOTADB, _) {
            database.close()
            throw StorageFailure.notADatabase(path: database.path)
        } catch {
            database.close()
            throw error
        }
    }

    /// Throws `foreign` or `unknownSchema` unless the tables are those that this version knows.
    static func checkSchema(of database: Database) throws {
        guard try database.value("PRAGMA application_id") == Migration.applicationID else {
            throw StorageFailure.foreign(path: database.path)
        }
        let known = Migration.all.map(\.name)
        let found = try Migration.applied(in: database)
        guard found == known else {
            let odd = found.first { !known.contains($0) } ?? found.last ?? "none"
            throw StorageFailure.unknownSchema(path: database.path, migration: odd)
        }
    }

    /// The head, the epoch and the ends of the indexes, in the transaction that the connection is in.
    static func summary(of database: Database) throws -> Summary {
        let meta = try Meta(database)
        let last = try LogTable(database).end()
        let indexedTo = try meta.number("indexed_to")
        let keysTo = Int64(try database.value("SELECT max(up_to) FROM key_generation") ?? "") ?? 0
        return Summary(
            head: max(last, try meta.number("head_floor"), indexedTo), epoch: try meta.text("epoch"),
            indexedTo: indexedTo, keysTo: min(indexedTo, keysTo))
    }

    /// The hash that the store's key index uses.
    static func keyHash(of database: Database) throws -> KeyHash {
        let meta = try Meta(database)
        return KeyHash(
            key0: UInt64(bitPattern: try meta.number("hash_key_0")),
            key1: UInt64(bitPattern: try meta.number("hash_key_1")))
    }

    /// Bytes of a file; 0 if there is none.
    static func byteCount(_ path: String) -> Int64 {
        var found = stat()
        return stat(path, &found) == 0 ? Int64(found.st_size) : 0
    }

    /// Whether two paths name one file.
    static func isSame(_ one: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
