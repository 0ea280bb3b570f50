import CSQLite

/// A prepared statement. The `Database` owns it; this is a handle with typed access to parameters (from 1) and columns
/// (from 0). Binding an integer at a valid index can't fail, so only texts and blobs are checked.
struct Statement {
    let handle: OpaquePointer

    func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }

    func bind(_ index: Int32, _ value: Int32) {
        sqlite3_bind_int(handle, index, value)
    }

    func bindNull(_ index: Int32) {
        sqlite3_bind_null(handle, index)
    }

    /// Binds bytes as text without copying; they must outlive the run. Empty bytes become NULL.
    func bind(_ index: Int32, borrowedText bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count > 0 else { return bindNull(index) }
        try check(roost_sqlite_bind_borrowed_text(handle, index, bytes.baseAddress, Int32(clamping: bytes.count)))
    }

    /// Binds bytes as a blob without copying; they must outlive the run. Empty bytes become NULL.
    func bind(_ index: Int32, borrowedBlob bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count > 0 else { return bindNull(index) }
        try check(roost_sqlite_bind_borrowed_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count)))
    }

    /// Binds a copy of the text.
    func bind(_ index: Int32, copying text: String) throws {
        var text = text
        let code = text.withUTF8 { bytes in
            // A null pointer would bind NULL instead of an empty text.
            guard let start = bytes.baseAddress else { return roost_sqlite_bind_copied_text(handle, index, "", 0) }
            return roost_sqlite_bind_copied_text(handle, index, start, Int32(clamping: bytes.count))
        }
        try check(code)
    }

    /// Moves to the next row. Returns false at the end, and resets the statement.
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        // The reset returns the same code again; the message is read before it.
        guard code == SQLITE_DONE else {
            let failure = self.failure(code)
            reset()
            throw failure
        }
        reset()
        return false
    }

    /// Runs a statement without results.
    func run() throws {
        while try step() {}
    }

    /// Reads from the first row, if there is one.
    func first<Value>(_ read: (Statement) throws -> Value) throws -> Value? {
        guard try step() else { return nil }
        defer { reset() }
        return try read(self)
    }

    func reset() {
        sqlite3_reset(handle)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func int64(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func int32(_ column: Int32) -> Int32 {
        sqlite3_column_int(handle, column)
    }

    func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    /// The column's bytes, valid until the next step or reset.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> StorageFailure {
        let database = sqlite3_db_handle(handle)
        let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
        return StorageFailure(code, at: sql, of: database)
    }
}
