import CSQLite
import Glibc

/// Puts a backup in the place of a store: checks it whole, gives it an epoch of its own, and swaps the files so that at
/// no moment, power cuts included, a relay could open a mixture of old and new ones. The old store is kept.
///
/// A copy over a store that crashed leaves the old write-ahead log beside the new file, and SQLite would apply it.
public struct StoreRestore {
    /// The result.
    public struct Result: Sendable, Equatable {
        /// Position of the newest event that was restored.
        public var head: Int64
        /// The epoch of the backup.
        public var oldEpoch: String
        /// The epoch that the restored store has.
        public var newEpoch: String
        /// Where the store that was there before is kept, or its write-ahead log if that was left alone; nil if there
        /// was none.
        public var kept: String?
    }

    /// While this file is beside a store, its files are being swapped: no process may open it.
    static func marker(of path: String) -> String { path + ".restoring" }

    /// Throws `restoreUnderWay` while the marker stands. Call it with the store's lock.
    static func checkFinished(at path: String) throws(StorageFailure) {
        guard access(marker(of: path), F_OK) != 0 else { throw .restoreUnderWay(marker: marker(of: path)) }
    }

    /// Restores `backup` to `path`. `stamp` names the old store that is kept: `path.before-stamp`, and `-2` and so on
    /// if that name is taken.
    /// - Throws: `ToolFailure` or `StorageFailure`, one line for the operator. The store is as it was, unless the
    ///   failure names the marker.
    public static func run(
        from backup: String, to path: String, stamp: String, progress: @escaping ToolProgress.Report
    ) throws -> Result {
        try StoreFile.checkExists(backup)
        guard !StoreFile.isSame(backup, path) else { throw ToolFailure.sameFile(path: backup) }
        let lock = try FileLock(for: path)
        defer { lock.release() }
        let kept = try freeName(path + ".before-" + stamp)
        let file = try NewFile(at: marker(of: path), replacing: true)
        let result: Result
        do {
            result = try prepare(file, from: backup, progress)
            file.giveToOwner(of: access(path, F_OK) == 0 ? path : Folder.path(of: path))
            // From here on the marker stands, and is the checked copy itself.
            try file.publish(replacing: true)
        } catch {
            file.discard()
            throw error
        }
        var done = result
        done.kept = try swap(marker(of: path), path, keepingAs: kept)
        return done
    }

    private static func freeName(_ name: String) throws -> String {
        for kept in [name] + (2...99).map({ "\(name)-\($0)" })
        where access(kept, F_OK) != 0 && access(kept + "-wal", F_OK) != 0 {
            return kept
        }
        throw ToolFailure.exists(path: name)
    }

    private static func prepare(
        _ file: NewFile, from backup: String, _ progress: @escaping ToolProgress.Report
    ) throws -> Result {
        let source = try StoreFile.openForReading(backup)
        defer { source.close() }
        try source.execute("BEGIN")
        let copy = try Database(path: file.draft)
        defer { copy.close() }
        try PageCopy.run(from: source, to: copy, pagesPerStep: 1_024, progress)
        source.close()
        copy.close()
        let report = try StoreVerifier.run(file.draft, progress: progress)
        // An import that was cut short can be finished in the restored store.
        if let finding = report.findings.first(where: { $0.remedy != .importAgain }) {
            throw ToolFailure.damagedBackup(path: backup, finding: finding.summary, count: report.damageCount)
        }
        let changed = try Database(path: file.draft)
        defer { changed.close() }
        let oldEpoch = try StoreFile.summary(of: changed).epoch
        try changed.execute(Schema.renewEpoch)
        let summary = try StoreFile.summary(of: changed)
        return Result(head: summary.head, oldEpoch: oldEpoch, newEpoch: summary.epoch, kept: nil)
    }

    /// Puts the new file in the place of the store. Whatever is cut short leaves the marker, and all of it can be done
    /// again: the old store already has its second name before anything of it goes.
    private static func swap(_ new: String, _ path: String, keepingAs kept: String) throws -> String? {
        let old = ["", "-wal"].first { access(path + $0, F_OK) == 0 }
        for suffix in ["", "-wal"] where access(path + suffix, F_OK) == 0 {
            try keep(path + suffix, as: kept + suffix)
        }
        try Folder.sync(of: path)
        // The old write-ahead log must be gone before the new file stands under the name it belongs to.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try Folder.sync(of: path)
        guard rename(new, path) == 0 else {
            throw ToolFailure.cannotWrite(path: path, reason: String(cString: strerror(errno)))
        }
        try Folder.sync(of: path)
        return old.map { kept + $0 }
    }

    private static func keep(_ old: String, as kept: String) throws {
        if link(old, kept) == 0 { return }
        guard errno != EEXIST else { throw ToolFailure.exists(path: kept) }
        // A file system without links.
        guard rename(old, kept) == 0 else {
            throw ToolFailure.cannotWrite(path: kept, reason: String(cString: strerror(errno)))
        }
    }
}
