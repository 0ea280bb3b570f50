import CSQLite

#if DEBUG
    import RoostLock
#endif

/// A failure of the local store.
public struct LocalFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite's extended result code (sqlite.org/rescode.html); 0 if the store itself refuses.
    public var code: Int32
    /// One line; it names the statement and never its values.
    public var description: String

    /// A failure of a caller of the store with its file.
    package init(code: Int32 = 0, description: String) {
        self.code = code
        self.description = description
    }

    /// Whether it may be over later: the disk is full or fails, or another program has locked the file.
    public var mayPass: Bool { [SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY].contains(code & 0xFF) }

    /// Whether the file is damaged, or isn't a database. A value of a type that its column can't have is damage, too:
    /// no statement of ours writes one (sqlite.org/rescode.html#constraint_datatype).
    public var isDamage: Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) || code == LocalFailure.wrongType
    }

    private static let wrongType = SQLITE_CONSTRAINT | (12 << 8)

    /// Whether another program has replaced this file, which was damaged, or uses it as another user. Open it anew to
    /// get its contents.
    public var wasReplaced: Bool { code == LocalFailure.moved }

    /// The file isn't there.
    var isMissing: Bool { code & 0xFF == SQLITE_CANTOPEN }

    /// SQLite's own code for damage.
    static let damage = SQLITE_CORRUPT
    static let moved = SQLITE_READONLY | (4 << 8)
}

/// One connection to the device's file. It belongs to one thread at a time. A commit is on disk when it returns: what a
/// user typed must outlive a battery (sqlite.org/pragma.html#pragma_synchronous: FULL syncs the WAL at each commit).
package final class LocalDatabase {
    /// SQLite's file layer that doesn't answer a failed read as if the file were damaged; nil for the system's own, on
    /// systems where it hasn't been tried.
    private static let fileLayer: String? = {
        #if canImport(Darwin)
            nil
        #else
            roost_sqlite_add_file_layer() == SQLITE_OK ? ROOST_SQLITE_FILE_LAYER : nil
        #endif
    }()

    private let handle: OpaquePointer
    private let path: String
    /// The file system that writes pages without stale bytes; nil if there is no file.
    private let cleanFile: UnsafeMutableRawPointer?
    private var statements: [String: LocalStatement] = [:]
    private var isClosed = false
    private let turn: FileTurn?
    // The last result of `PRAGMA data_version`.
    private var version: Int64 = 0
    /// Called in a transaction, before anything else, if another connection has changed the file since the last one.
    var noteOthers: () throws(LocalFailure) -> Void = {}

    /// Opens the file, or creates it, and brings it to the newest form.
    /// - Parameters:
    ///   - migrations: nil to leave it in the form that it has.
    ///   - mayCreate: whether it may be made if it isn't there.
    package convenience init(
        path: String, migrations: [LocalMigration]?, mayCreate: Bool = true
    ) throws(LocalFailure) {
        try self.init(path: path, migrations: migrations, mayCreate: mayCreate, turn: nil)
    }

    /// - Parameter turn: shared with other programs that have the file; nil if there are none.
    init(
        path: String, migrations: [LocalMigration]?, mayCreate: Bool = true, turn: FileTurn?
    ) throws(LocalFailure) {
        LocalDatabase.tellUse()
        guard !DamagedFile(path: path).hasForeignHead else {
            throw LocalFailure(code: SQLITE_NOTADB, description: "the file doesn't begin as a database does")
        }
        var opened: OpaquePointer?
        var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        if mayCreate { flags |= SQLITE_OPEN_CREATE }
        let code = sqlite3_open_v2(path, &opened, flags, LocalDatabase.fileLayer)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw LocalFailure(code: code, description: "open: \(String(cString: sqlite3_errstr(code)))")
        }
        var cleanFile: UnsafeMutableRawPointer?
        var cleaning = roost_sqlite_write_clean_pages(opened, &cleanFile)
        if cleaning == SQLITE_OK { cleaning = roost_sqlite_add_row_sums(opened) }
        guard cleaning == SQLITE_OK else {
            sqlite3_close(opened)
            throw LocalFailure(code: cleaning, description: "open: \(String(cString: sqlite3_errstr(cleaning)))")
        }
        handle = opened
        self.path = path
        self.cleanFile = cleanFile
        self.turn = turn
        sqlite3_busy_timeout(opened, 5_000)
        // Deleted content is overwritten, so that it can't be found in the file; copies that SQLite leaves when it
        // moves rows are left out of the pages that are written.
        try execute(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON")
        if let migrations { try migrate(migrations) }
        version = try dataVersion()
    }

    deinit { close() }

    /// Closes the file, which may write: the last connection moves the WAL into it. Later uses fail with
    /// `SQLITE_MISUSE`.
    package func close() {
        guard !isClosed else { return }
        LocalDatabase.tellUse()
        isClosed = true
        for statement in statements.values { sqlite3_finalize(statement.handle) }
        statements = [:]
        // SQLite uses it until the file is closed.
        if sqlite3_close(handle) == SQLITE_OK { roost_sqlite_free_clean_file(cleanFile) }
    }

    /// Closes the file and leaves the log beside it as it is.
    func closeKeepingLog() {
        _ = roost_sqlite_keep_wal_on_close(handle)
        close()
    }

    /// Leaves nothing of what was deleted in the write-ahead log, nor in pages in memory, from which a later commit
    /// would write it again.
    /// - Returns: false if another program reads the file, so that the log stays as it is.
    package func forget() throws(LocalFailure) -> Bool {
        // The first column says whether it couldn't be done (sqlite.org/pragma.html#pragma_wal_checkpoint).
        let isBlocked = try taking { () throws(LocalFailure) in
            try rows("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) != 0 }
        }
        sqlite3_db_release_memory(handle)
        return !isBlocked.contains(true)
    }

    private func requireOpen() throws(LocalFailure) {
        guard !isClosed else { throw LocalFailure(code: SQLITE_MISUSE, description: "the store is closed") }
    }

    /// Runs statements without values or results.
    package func execute(_ sql: String) throws(LocalFailure) {
        LocalDatabase.tellUse()
        try requireOpen()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    /// Runs one statement with values. It is prepared once.
    package func run(_ sql: String, _ values: [LocalValue] = []) throws(LocalFailure) {
        guard turn != nil else { return _ = try rows(sql, values) { _ in } }
        _ = try transaction { () throws(LocalFailure) in try rows(sql, values) { _ in } }
    }

    /// Returns the result of `read` for each row.
    package func rows<Row>(
        _ sql: String, _ values: [LocalValue] = [], _ read: (LocalStatement) -> Row
    ) throws(LocalFailure) -> [Row] {
        LocalDatabase.tellUse()
        let statement = try prepared(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            let code = statement.bind(Int32(index) + 1, value)
            guard code == SQLITE_OK else { throw failure(code, sql) }
        }
        var rows: [Row] = []
        while true {
            let code = sqlite3_step(statement.handle)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw failure(code, sql) }
            rows.append(read(statement))
        }
    }

    /// Reads the rows of a query that can be read: an unreadable page ends it.
    func readable(_ sql: String, _ read: (LocalStatement) -> Void) throws(LocalFailure) {
        // A table that can't even be named has nothing to read.
        guard let statement = try? prepared(sql) else { return }
        defer { statement.reset() }
        while true {
            let code = sqlite3_step(statement.handle)
            if code == SQLITE_ROW {
                read(statement)
            } else {
                let failure = LocalFailure(code: code, description: "\(String(cString: sqlite3_errstr(code))): \(sql)")
                guard code == SQLITE_DONE || failure.isDamage else { throw failure }
                return
            }
        }
    }

    /// The id of the row that was inserted last.
    package var lastID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Number of rows that the last statement changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    /// All of `body`, or nothing. Inside another transaction it is a part of that one.
    package func transaction<Result>(_ body: () throws(LocalFailure) -> Result) throws(LocalFailure) -> Result {
        try requireOpen()
        guard sqlite3_get_autocommit(handle) != 0 else { return try body() }
        return try taking { () throws(LocalFailure) in
            try execute("BEGIN IMMEDIATE")
            do throws(LocalFailure) {
                try catchUp()
                let result = try body()
                try execute("COMMIT")
                return result
            } catch {
                // After some failures SQLite has rolled back by itself (sqlite.org/lang_transaction.html).
                if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
                throw error
            }
        }
    }

    /// The same for what fails in other ways, too.
    func change<Result>(_ body: () throws -> Result) throws -> Result {
        var other: (any Error)?
        do throws(LocalFailure) {
            return try transaction { () throws(LocalFailure) in
                do { return try body() } catch {
                    other = error
                    throw error as? LocalFailure ?? LocalFailure(description: "\(error)")
                }
            }
        } catch { throw other ?? error }
    }

    // While a program writes, none puts another file in the place of this one.
    private func taking<Result>(_ body: () throws(LocalFailure) -> Result) throws(LocalFailure) -> Result {
        guard let turn else { return try body() }
        return try turn.have(alone: false) { () throws(LocalFailure) in
            try requirePlace()
            return try body()
        }
    }

    private func requirePlace() throws(LocalFailure) {
        // One that was removed has no other in its place.
        guard roost_sqlite_has_moved(handle) != 0, DamagedFile(path: path).isThere else { return }
        throw LocalFailure(code: LocalFailure.moved, description: "another program has made the file anew")
    }

    /// Calls `noteOthers` if another connection has changed the file since the last time, or the last transaction.
    /// - Returns: whether it has.
    @discardableResult
    func catchUp() throws(LocalFailure) -> Bool {
        guard turn != nil else { return false }
        try requirePlace()
        let now = try dataVersion()
        guard now != version else { return false }
        try noteOthers()
        version = now
        return true
    }

    // It never changes by what this connection does itself (sqlite.org/pragma.html#pragma_data_version).
    private func dataVersion() throws(LocalFailure) -> Int64 {
        try rows("PRAGMA data_version") { $0.integer(0) }.first ?? 0
    }

    private func prepared(_ sql: String) throws(LocalFailure) -> LocalStatement {
        try requireOpen()
        if let statement = statements[sql] { return statement }
        var made: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made else { throw failure(code, sql) }
        let statement = LocalStatement(handle: made)
        statements[sql] = statement
        return statement
    }

    #if DEBUG
        /// Called at each use, for tests that look where the store is used from.
        static let onUse = Locked<Hook?>(nil)

        /// A closure alone would get another wrapper at each look at it, until freeing them all overflows the stack.
        struct Hook: Sendable {
            let call: @Sendable () -> Void
        }
    #endif

    private static func tellUse() {
        #if DEBUG
            onUse.withLock { $0 }?.call()
        #endif
    }

    private func failure(_ code: Int32, _ sql: String) -> LocalFailure {
        let failure = LocalFailure(code: code, description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
        if failure.isDamage { DamagedFile(path: path).leaveMark() }
        return failure
    }

    // MARK: Migrations

    /// The names of the migrations that the file has had.
    package func applied() throws(LocalFailure) -> Set<String> {
        let isThere = try rows("SELECT 1 FROM sqlite_schema WHERE name = 'migration'") { _ in 1 }
        return isThere.isEmpty ? [] : Set(try rows("SELECT name FROM migration") { $0.text(0) })
    }

    /// Copies the whole database into a new file, which must not be there (sqlite.org/lang_vacuum.html#vacuuminto).
    package func copy(to path: String) throws(LocalFailure) {
        try run("VACUUM INTO ?", [.text(path)])
    }

    private func migrate(_ migrations: [LocalMigration]) throws(LocalFailure) {
        try transaction { () throws(LocalFailure) in
            try execute("CREATE TABLE IF NOT EXISTS migration(name TEXT PRIMARY KEY) STRICT")
            let done = try rows("SELECT name FROM migration") { $0.text(0) }
            let known = Set(migrations.map(\.name))
            // A newer version of the app has been here: its tables may mean something else.
            if let unknown = done.first(where: { !known.contains($0) }) {
                // A device's migrations have numbers that rise; another name is one that was damaged.
                let last = known.compactMap { LocalMigration.number(of: $0) }.max()
                if let last, LocalMigration.number(of: unknown) ?? 0 <= last {
                    throw LocalFailure(code: SQLITE_CORRUPT, description: "the file has a migration of no version")
                }
                throw LocalFailure(code: 0, description: "the file has a newer form: \(unknown)")
            }
            for migration in migrations where !done.contains(migration.name) {
                try execute(migration.sql)
                try run("INSERT INTO migration(name) VALUES (?)", [.text(migration.name)])
            }
        }
    }
}

/// A change of the tables. Its name is for ever; so is what it does.
package struct LocalMigration {
    package var name: String
    package var sql: String

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// The number that a name begins with, as in `2 cache`.
    fileprivate static func number(of name: String) -> Int? {
        guard let digits = name.split(separator: " ", omittingEmptySubsequences: false).first else { return nil }
        return Int(digits)
    }
}

/// A value for a statement.
package enum LocalValue {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A prepared statement, on a row. Columns count from 0.
package struct LocalStatement {
    let handle: OpaquePointer

    func bind(_ index: Int32, _ value: LocalValue) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                // A null pointer would bind NULL instead of an empty text.
                guard let start = bytes.baseAddress else { return roost_sqlite_bind_copied_text(handle, index, "", 0) }
                return roost_sqlite_bind_copied_text(handle, index, start, Int32(clamping: bytes.count))
            }
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                roost_sqlite_bind_copied_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
    }

    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// The first columns as they are.
    func values(count: Int32) -> [LocalValue] {
        (0..<count).map { column in
            switch sqlite3_column_type(handle, column) {
            case SQLITE_NULL: .null
            case SQLITE_INTEGER: .integer(integer(column))
            case SQLITE_BLOB: .bytes(bytes(column))
            default: .text(text(column))
            }
        }
    }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    package func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
