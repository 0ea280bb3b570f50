import CSQLite
import Glibc

/// Opens the file of a store for commands that only read it, whether a relay is running on it or not.
enum StoreFile {
    /// What a store says of itself.
    struct Summary: Equatable {
        /// The newest position that was given.
        var head: Int64
        var epoch: String
        /// Rows up to this position are in the indexes.
        var indexedTo: Int64
        /// The key index is complete up to this position.
        var keysTo: Int64
    }

    /// Throws `noStore` unless there is a file. SQLite would make one.
    static func checkExists(_ path: String) throws {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { throw ToolFailure.noStore(path: path) }
    }

    /// A connection that changes nothing of the log. It has read once, so that what can't be read is told here.
    ///
    /// A connection that may write removes the empty files it made beside the store when it closes; one that may not
    /// leaves them. But the last to close would also move what a crash left in the write-ahead log, and a command that
    /// only looks must not.
    static func openForReading(_ path: String) throws -> Database {
        try checkExists(path)
        let flags = byteCount(path + "-wal") > 0 ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        do {
            return try checked(Database(path: path, flags: flags))
        } catch {
            // A medium that can't be written to, with a backup on it that says it has a write-ahead log but has none.
            guard byteCount(path + "-wal") == 0, access(Folder.path(of: path), W_OK) != 0 else { throw error }
            return try checked(Database(path: uri(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI))
        }
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

    /// The head, the epoch and how far the indexes are, in the transaction that the connection is in.
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

    /// A path as a URI that SQLite takes (sqlite.org/uri.html), for a file that nobody changes.
    private static func uri(_ path: String) -> String {
        var escaped = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = Array("0123456789ABCDEF")
                escaped += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return escaped + "?immutable=1"
    }
}
