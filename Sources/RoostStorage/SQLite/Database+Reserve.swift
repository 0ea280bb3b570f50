import CSQLite

/// Makes the file of the write-ahead log as long as it will become, before the first commit. On the thread that opens
/// the store; it must not touch what SQLite has written there.
extension Database {
    /// Bytes of a frame of the WAL: a page with its header (sqlite.org/fileformat2.html#walformat).
    static let frameBytes = 24 + pageBytes

    /// Bytes of a WAL file: its header and the frames.
    static func walBytes(frames: Int) -> Int { 32 + frames * frameBytes }

    /// Writes zeros from the end of the WAL up to room for `frames`, and syncs the file. A commit that appends to a
    /// file makes the file system commit its own journal as well, and waits for whatever else is in there; one that
    /// overwrites syncs its pages alone. SQLite reads a WAL to its last valid frame, so zeros behind it count as
    /// nothing. Throws if there is no room: a store that can't have its WAL can't commit for long.
    func reserveWAL(frames: Int) throws {
        var found: UnsafeMutablePointer<sqlite3_file>?
        try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found))
        guard let file = found, let methods = file.pointee.pMethods?.pointee,
            let fileSize = methods.xFileSize, let write = methods.xWrite, let sync = methods.xSync
        else { return }
        var end: Int64 = 0
        try check(fileSize(file, &end))
        let wanted = Int64(Database.walBytes(frames: frames))
        // The largest page, and so the most that SQLite ever hands to its file layer, which takes no more than 128 KiB.
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        while end < wanted {
            let count = min(Int64(zeros.count), wanted - end)
            try check(write(file, zeros, Int32(count), end))
            end += count
        }
        // Also if it was long enough: a process that was killed may have left frames that it never synced. SQLite takes
        // them for committed, so they are about to be told and have to outlive a power cut.
        try check(sync(file, SQLITE_SYNC_FULL))
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else {
            throw StorageFailure.failed(
                operation: "reserving the WAL", code: code, message: String(cString: sqlite3_errstr(code)))
        }
    }
}
