import CSQLite
import Glibc

/// One connection to SQLite. It owns the handle and all statements prepared on it, belongs to one thread at a time
/// (SQLITE_OPEN_NOMUTEX), and must not be used after `close()`. It knows nothing about the log.
final class Database {
    /// Milliseconds that a checkpoint waits for readers. Commits wait as long.
    static let checkpointTimeout: Int32 = 20

    /// Settings of the library, made once, before the first connection.
    private static let settings = roost_sqlite_count_no_memory()
    /// The system's file layer, but for its answer to a failed read; nil if SQLite doesn't take it.
    private static let fileLayer: String? = {
        roost_sqlite_add_file_layer() == SQLITE_OK ? ROOST_SQLITE_FILE_LAYER : nil
    }()

    /// The path, for messages.
    let path: String
    let handle: OpaquePointer
    /// The file as SQLite names it: absolute, and without symbolic links. nil if there is none.
    var filePath: String? {
        guard let name = sqlite3_db_filename(handle, "main") else { return nil }
        let path = String(cString: name)
        return path.isEmpty ? nil : path
    }

    /// Bytes of the file, without the write-ahead log; 0 if there is none.
    var fileBytes: Int64 {
        var found = stat()
        return stat(path, &found) == 0 ? Int64(found.st_size) : 0
    }

    /// The file system that writes pages without stale bytes; nil if there is no file.
    private let cleanFile: UnsafeMutableRawPointer?
    /// Frames in the write-ahead log after the last commit of this connection. Written by SQLite's commit hook.
    private let walFrames: UnsafeMutablePointer<Int32>
    /// Milliseconds that a statement waits for a lock. The relay never holds one that long; another program may.
    var lockTimeout: Int32 = 5_000 {
        didSet { sqlite3_busy_timeout(handle, lockTimeout) }
    }
    private(set) var isClosed = false

    /// Opens the database at `path`, and creates it unless the flags say otherwise; ":memory:" is private to this
    /// connection. `vfs` names the file layer that SQLite uses (sqlite.org/vfs.html); without it, the one of the
    /// operating system. `parameter` is one of a URI, such as `immutable=1` (sqlite.org/uri.html).
    init(
        path: String, flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: String? = nil,
        parameter: String? = nil
    ) throws {
        self.path = path
        _ = Database.settings
        var opened: OpaquePointer?
        var flags = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        if parameter != nil { flags |= SQLITE_OPEN_URI }
        let name = parameter.map { Database.uri(path, $0) } ?? path
        let code = sqlite3_open_v2(name, &opened, flags, vfs ?? Database.fileLayer)
        guard code == SQLITE_OK, let opened else {
            let reason = String(cString: sqlite3_errstr(code))
            sqlite3_close(opened)
            guard code & 0xFF != SQLITE_IOERR else {
                throw StorageFailure.failed(operation: "opening \(path)", code: code, message: reason)
            }
            throw Ownership.denial(ofStore: path) ?? StorageFailure.cannotOpen(path: path, reason: reason)
        }
        var cleanFile: UnsafeMutableRawPointer?
        let cleaning = roost_sqlite_write_clean_pages(opened, &cleanFile)
        guard cleaning == SQLITE_OK else {
            sqlite3_close(opened)
            throw StorageFailure.cannotOpen(path: path, reason: String(cString: sqlite3_errstr(cleaning)))
        }
        handle = opened
        self.cleanFile = cleanFile
        walFrames = .allocate(capacity: 1)
        walFrames.initialize(to: 0)
        sqlite3_busy_timeout(opened, lockTimeout)
        // Replaces SQLite's automatic checkpoints: the writer decides when to checkpoint.
        _ = sqlite3_wal_hook(
            opened,
            { context, _, _, frames in
                context?.assumingMemoryBound(to: Int32.self).pointee = frames
                return SQLITE_OK
            }, walFrames)
    }

    deinit {
        close()
        walFrames.deallocate()
    }

    /// Frames in the write-ahead log after the last commit; a frame is a page and 24 bytes.
    var framesInWAL: Int { Int(walFrames.pointee) }

    /// Rows changed by the statement that ran last.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Rows changed since the connection was opened.
    var totalChanges: Int { Int(sqlite3_total_changes(handle)) }

    /// Whether a transaction is open. SQLite ends one itself if a statement in it fails badly.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Finalizes all statements and closes. The last connection to a file checkpoints it and removes the WAL.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
        // SQLite uses it until the file is closed.
        if sqlite3_close(handle) == SQLITE_OK { roost_sqlite_free_clean_file(cleanFile) }
    }

    /// Closing this connection won't checkpoint.
    func keepWALOnClose() {
        _ = roost_sqlite_keep_wal_on_close(handle)
    }

    /// Prepares a statement that lives as long as the connection is open.
    func prepare(_ sql: String) throws -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code, at: sql) }
        return Statement(handle: statement)
    }

    /// Adds a table `new_rows`, which shows what `source` points to at the time. It must outlive the connection's use.
    func addNewRows(_ source: UnsafePointer<roost_new_rows>) throws {
        let code = roost_sqlite_add_new_rows(handle, source)
        guard code == SQLITE_OK else { throw failure(code, at: "new_rows") }
    }

    /// Runs one or more statements without results.
    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, at: sql) }
    }

    /// The first column of the first row, as text. For settings; prepares anew each time.
    func value(_ sql: String) throws -> String? {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code, at: sql) }
        defer { sqlite3_finalize(statement) }
        let query = Statement(handle: statement)
        return try query.step() ? query.text(0) : nil
    }

    /// Runs `body` in a transaction that writes. Rolls back and throws what it throws.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body`. Returns false if another connection has the lock; then nothing has happened.
    func unlessBusy(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let failure as StorageFailure where failure.isBusy {
            return false
        }
    }

    /// Ends a transaction that failed or has only read. SQLite may have ended it already.
    func rollBack() {
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// Copies the write-ahead log into the database. Returns whether all of it was copied. PASSIVE doesn't wait;
    /// RESTART and TRUNCATE wait for readers (sqlite.org/c3ref/wal_checkpoint_v2.html), but not long, because a reader
    /// in another program may stay for ever.
    func checkpoint(_ mode: Int32, waiting milliseconds: Int32 = checkpointTimeout) throws -> Bool {
        var frames: Int32 = 0
        var copied: Int32 = 0
        sqlite3_busy_timeout(handle, milliseconds)
        defer { sqlite3_busy_timeout(handle, lockTimeout) }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &copied)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw failure(code, at: "checkpoint") }
        return frames == copied
    }

    /// Copies all of the write-ahead log and cuts its file off. Returns false, and leaves the file as it is, if a
    /// reader is in the way. Pages in memory may have stale copies of erased rows, which are not in the database: they
    /// are read anew when they are needed, so that no later commit writes them.
    func emptyWAL() throws -> Bool {
        guard try checkpoint(SQLITE_CHECKPOINT_TRUNCATE) else { return false }
        walFrames.pointee = 0
        sqlite3_db_release_memory(handle)
        return true
    }

    private func failure(_ code: Int32, at operation: String) -> StorageFailure {
        StorageFailure(code, at: operation, of: handle)
    }

    /// A path as a URI that SQLite takes (sqlite.org/uri.html).
    private static func uri(_ path: String, _ parameter: String) -> String {
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
        return "\(escaped)?\(parameter)"
    }
}

extension StorageFailure {
    /// SQLite's answer to an operation on a connection. A file that it can't open or write because of its owner or mode
    /// is named.
    init(_ code: Int32, at operation: String, of connection: OpaquePointer?) {
        let message = String(cString: sqlite3_errmsg(connection))
        let isOfFiles = [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM].contains(code & 0xFF)
        let name = isOfFiles ? connection.flatMap { sqlite3_db_filename($0, "main") } : nil
        let denial = name.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : Ownership.denial(ofStore: $0) }
        self = denial ?? .failed(operation: operation, code: code, message: message)
    }
}
