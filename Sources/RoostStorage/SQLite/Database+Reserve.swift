import CSQLite

/// Extends the file of the write-ahead log to its final size before the first commit. On the thread that opens the
/// store; bytes written by SQLite must not be touched.
extension Database {
    /// Bytes of a frame of the WAL: a page with its header (sqlite.org/fileformat2.html#walformat).
    static let frameBytes = 24 + pageBytes

    /// Bytes of a WAL file: its header and the frames.
    static func walBytes(frames: Int) -> Int { 32 + frames * frameBytes }

    /// Writes zeros from the end of the WAL up to room for `frames`, and syncs the file. A commit that appends to a
    /// file makes the file system commit its own journal too, with everything else in it; a commit that overwrites
    /// syncs only its own pages. SQLite reads a WAL up to its last valid frame, so zeros after it are ignored. That the
    /// file was cut is synced before: if a power cut kept zeros and not the cut, frames before them would still be
    /// valid, and SQLite would put old pages over newer ones. Throws if there is no room.
    func reserveWAL(frames: Int) throws {
        guard let file = try fileOfWAL(), let fileSize = file.pointee.pMethods?.pointee.xFileSize,
            let write = file.pointee.pMethods?.pointee.xWrite, let sync = file.pointee.pMethods?.pointee.xSync
        else { return }
        var end: Int64 = 0
        try check(fileSize(file, &end))
        let wanted = Int64(Database.walBytes(frames: frames))
        if end < wanted { try check(sync(file, SQLITE_SYNC_FULL)) }
        // The largest page size, and so the most that SQLite passes to its file layer at once, which accepts at most
        // 128 KiB.
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        while end < wanted {
            let count = min(Int64(zeros.count), wanted - end)
            try check(write(file, zeros, Int32(count), end))
            end += count
        }
        try check(sync(file, SQLITE_SYNC_FULL))
    }

    /// Syncs the WAL. A killed process may have left frames that were never synced. SQLite treats them as committed, so
    /// clients are about to see them and they must survive a power cut.
    func syncWAL() throws {
        guard let file = try fileOfWAL(), let sync = file.pointee.pMethods?.pointee.xSync else { return }
        try check(sync(file, SQLITE_SYNC_FULL))
    }

    private func fileOfWAL() throws -> UnsafeMutablePointer<sqlite3_file>? {
        try file(SQLITE_FCNTL_JOURNAL_POINTER, for: "reserving the WAL")
    }

    private func check(_ code: Int32) throws { try checkFile(code, "reserving the WAL") }

    /// A file that SQLite has open.
    /// - Parameter which: `SQLITE_FCNTL_JOURNAL_POINTER` for the write-ahead log, `SQLITE_FCNTL_FILE_POINTER` for the
    ///   database.
    func file(_ which: Int32, for operation: String) throws -> UnsafeMutablePointer<sqlite3_file>? {
        var found: UnsafeMutablePointer<sqlite3_file>?
        try checkFile(sqlite3_file_control(handle, "main", which, &found), operation)
        return found
    }

    /// Throws if SQLite's file layer has failed.
    func checkFile(_ code: Int32, _ operation: String) throws {
        guard code == SQLITE_OK else {
            throw StorageFailure.failed(
                operation: operation, code: code, message: String(cString: sqlite3_errstr(code)))
        }
    }
}
