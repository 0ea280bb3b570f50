import CSQLite

/// Cuts the write-ahead log off behind the last commit. A transaction that found the disk full may have written some of
/// its frames; SQLite ignores them and writes the next ones over them. But those that are left behind the next commit
/// would look like commits that are lost, if that one were torn by a power cut (see `WALTail`). This needs no room.
extension Database {
    /// Bytes of a part of the write-ahead log's index, and the place of the number of committed frames in it
    /// (sqlite.org/walformat.html, section 2).
    private static let indexBytes: Int32 = 32_768
    private static let committedOffset = 16

    /// Throws if another program has the write lock.
    func cutWAL() throws {
        // With the lock, and with the newest state of the index.
        try execute("BEGIN IMMEDIATE")
        defer { rollBack() }
        guard let log = try file(SQLITE_FCNTL_JOURNAL_POINTER), let truncate = log.pointee.pMethods?.pointee.xTruncate,
            let sync = log.pointee.pMethods?.pointee.xSync, let fileSize = log.pointee.pMethods?.pointee.xFileSize
        else { return }
        let frames = try committedFrames()
        let end = frames == 0 ? 0 : Int64(Database.walBytes(frames: frames))
        var size: Int64 = 0
        try checkFile(fileSize(log, &size))
        guard size > end else { return }
        try checkFile(truncate(log, end))
        try checkFile(sync(log, SQLITE_SYNC_FULL))
    }

    private func committedFrames() throws -> Int {
        guard let main = try file(SQLITE_FCNTL_FILE_POINTER), let map = main.pointee.pMethods?.pointee.xShmMap else {
            throw StorageFailure.inconsistent("the write-ahead log has no index")
        }
        var found: UnsafeMutableRawPointer?
        try checkFile(map(main, 0, Database.indexBytes, 0, &found))
        guard let index = found else { return 0 }
        return Int(index.load(fromByteOffset: Database.committedOffset, as: UInt32.self))
    }

    private func file(_ which: Int32) throws -> UnsafeMutablePointer<sqlite3_file>? {
        try file(which, for: "cutting the WAL")
    }

    private func checkFile(_ code: Int32) throws { try checkFile(code, "cutting the WAL") }
}
