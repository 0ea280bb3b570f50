import RoostWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A device's file that is damaged. The relay's data can be had again; the user's actions are only here. So a new file
/// replaces it, with every row of the outbox that can still be read, the drafts, and the device's name. Rows are read
/// from the pages themselves (`DamagedPages`), so that damage costs only what it hits. The damaged file is kept beside
/// the new one, as `….damaged`, and its log as `….damaged-wal`.
///
/// Whatever moment a crash comes at, one of the two is whole: the new file has a name of its own until it is on disk.
struct DamagedFile {
    /// Where the file is.
    let path: String

    private var kept: String { path + ".damaged" }
    private var new: String { path + ".new" }
    private var whole: String { path + ".whole" }
    // Found damaged while it was in use, in a page that opening doesn't read.
    private var mark: String { path + ".mark" }

    /// Whether the damage was found while the file was in use.
    var isMarked: Bool { access(mark, F_OK) == 0 }

    /// Whether there is a file.
    var isThere: Bool { access(path, F_OK) == 0 }

    /// Whether there is a file that isn't SQLite's, or is empty beside a log with content. SQLite would open it all the
    /// same, and delete the log, which may have what was written last
    /// (sqlite.org/fileformat2.html#the_database_header).
    var hasForeignHead: Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let usual = Array("SQLite format 3\0".utf8)
        var head = [UInt8](repeating: 0, count: usual.count)
        let count = read(file, &head, head.count)
        // A new file is empty, and has no log yet.
        return count > 0 ? head != usual : count == 0 && hasLog
    }

    private var hasLog: Bool {
        var found = stat()
        return stat(path + "-wal", &found) == 0 && found.st_size > 0
    }

    /// Whether there is damage that SQLite says nothing of, and by which something would be lost in silence: a file
    /// that is missing or empty beside a log with content, or a log that is damaged before its end.
    var hidesContent: Bool {
        guard hasLog else { return false }
        var found = stat()
        guard stat(path, &found) == 0, found.st_size > 0 else { return true }
        let log = DamagedLog(path + "-wal")
        defer { log.close() }
        return log.hidesFrames
    }

    /// The next start is to make the file anew.
    func leaveMark() {
        let file = open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    /// Ends what a crash interrupted. Call it before the file is opened.
    func finish() {
        unlink(new)
        guard access(whole, F_OK) == 0 else { return }
        // The damaged file's log must not be taken for the new one's.
        rename(path + "-wal", kept + "-wal")
        unlink(path + "-shm")
        rename(path, kept)
        unlink(mark)
        rename(whole, path)
    }

    /// Makes the new file and puts it in place of the damaged one.
    /// - Returns: what could be saved.
    func replace(migrations: [LocalMigration]) throws(LocalFailure) -> LocalRepair {
        let saved = try SavedRows(path)
        unlink(new)
        // The copy of an earlier repair is of no more use.
        unlink(kept)
        unlink(kept + "-wal")
        var repair = LocalRepair(itemsSaved: 0)
        do {
            let database = try LocalDatabase(path: new, migrations: migrations)
            // A row that is waited for may be lost.
            try database.execute("PRAGMA foreign_keys=OFF")
            repair = try database.transaction { () throws(LocalFailure) in try saved.write(to: database) }
            // One file, without a log beside it.
            try database.execute("PRAGMA journal_mode=DELETE")
        }
        rename(new, whole)
        finish()
        return repair
    }
}

/// The result of repairing a damaged file.
public struct LocalRepair: Sendable, Equatable {
    /// Number of items of the outbox that could be read: messages, edits and the like. If the damage is there, others
    /// are lost.
    public var itemsSaved: Int
    /// Number of those that aren't as they were written: they wait for their user, as if the relay had refused them.
    public var itemsChanged = 0
}
