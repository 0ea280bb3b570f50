import Glibc

/// A trace of a store where none is now, or an empty file.
public enum StoreTrace: Sendable, Equatable {
    /// The note beside it says that its log had come to this position.
    case note(position: Int64)
    /// Its write-ahead log has bytes.
    case log(path: String)
}

extension SQLiteLog {
    /// Checks the path of a relay's store before SQLite opens it. Changes nothing.
    /// - Throws: `restoreUnderWay`, `missing` or `emptied`.
    public static func checkPresence(at path: String) throws(StorageFailure) {
        try StoreRestore.checkFinished(at: path)
        try StorePresence.check(path, note: StoreFile.note(beside: path))
    }
}

/// The state of a store's path, checked before SQLite opens it: SQLite takes a file of 0 bytes for a new database, and
/// then deletes the write-ahead log beside it with all commits that are only there. A copy that finds the disk full
/// leaves such a file. Stateless.
enum StorePresence {
    /// Throws `missing` or `emptied` if there is no content, but something shows that there was. Changes nothing.
    /// - Parameter note: what the note beside the store says.
    static func check(_ path: String, note: LogNote.Content?) throws(StorageFailure) {
        var found = stat()
        let isThere = stat(path, &found) == 0
        guard !isThere || found.st_mode & S_IFMT == S_IFREG && found.st_size == 0 else { return }
        guard let trace = trace(path, note) else { return }
        throw isThere ? .emptied(path: path, trace: trace) : .missing(path: path, trace: trace)
    }

    private static func trace(_ path: String, _ note: LogNote.Content?) -> StoreTrace? {
        if let note, note.position > 0 { return .note(position: note.position) }
        let log = Ownership.realPath(of: path) + "-wal"
        return StoreFile.byteCount(log) > 0 ? .log(path: log) : nil
    }
}
