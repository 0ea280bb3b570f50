import CSQLite
import Glibc

/// Copies a store into one file, as it is at one moment, while the relay goes on writing. The copy is an ordinary
/// database without files beside it, for its owner only, and appears under its name when all of it is on the disk.
///
/// Reads in one transaction: SQLite's own way, step by step without one, begins again after each foreign commit
/// (sqlite.org/backup.html) and so never ends on a busy relay. The write-ahead log can't begin anew meanwhile: it grows
/// by what is written during the copy, and shrinks again afterwards.
public struct StoreBackup {
    /// The copied data.
    public struct Result: Sendable, Equatable {
        /// Bytes of the backup.
        public var bytes: Int64
        /// Position of the newest event in it.
        public var head: Int64
        /// The store's epoch.
        public var epoch: String
    }

    /// Pages between two reports: 4 MiB.
    private static let pagesPerStep: Int32 = 512

    /// Copies the store at `path` to the new file `target`.
    /// - Throws: `ToolFailure` or `StorageFailure`, one line for the operator. Then nothing new stands at `target`.
    public static func run(
        from path: String, to target: String, progress: @escaping ToolProgress.Report
    ) throws -> Result {
        try StoreFile.checkExists(path)
        let file = try NewFile(at: target)
        do {
            let result = try copy(path, to: file, progress)
            try file.publish()
            return result
        } catch {
            file.discard()
            throw error
        }
    }

    private static func copy(_ path: String, to file: NewFile, _ progress: @escaping ToolProgress.Report) throws
        -> Result
    {
        let source = try StoreFile.openForReading(path)
        defer { source.close() }
        // From the first read to the end the connection sees one state of the store.
        try source.execute("BEGIN")
        let summary = try StoreFile.summary(of: source)
        let copy = try Database(path: file.draft)
        defer { copy.close() }
        try PageCopy.run(from: source, to: copy, pagesPerStep: pagesPerStep, progress)
        source.rollBack()
        copy.close()
        return Result(bytes: file.byteCount, head: summary.head, epoch: summary.epoch)
    }
}

/// Copies all pages of one database over another. Both belong to the calling thread.
enum PageCopy {
    /// The source stays in the transaction that it is in. The target becomes one file without a journal beside it; it
    /// isn't synced.
    static func run(
        from source: Database, to target: Database, pagesPerStep: Int32, _ progress: @escaping ToolProgress.Report
    ) throws {
        // The target is thrown away unless all of it gets there, and is synced by the caller that moves it.
        try target.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw StorageFailure.failed(
                operation: "backup", code: sqlite3_extended_errcode(target.handle),
                message: String(cString: sqlite3_errmsg(target.handle)))
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, pagesPerStep)
            let total = Int64(sqlite3_backup_pagecount(backup))
            progress(ToolProgress("copying", total - Int64(sqlite3_backup_remaining(backup)), of: total))
        }
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw StorageFailure.failed(
                operation: "backup", code: code, message: String(cString: sqlite3_errstr(code)))
        }
        // The pages say that there is a write-ahead log; a single file has none.
        guard try target.value("PRAGMA journal_mode = DELETE") == "delete" else {
            throw StorageFailure.failed(operation: "backup", code: SQLITE_ERROR, message: "the copy keeps its WAL")
        }
        // The source may be of a version that left copies of erased texts.
        _ = try StalePages.clean(target, progress)
    }
}
