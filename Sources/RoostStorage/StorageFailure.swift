import CSQLite

/// Why the store can't be opened or used. The description is one line for the operator with the file and what to do. It
/// never contains a body or a key.
public enum StorageFailure: Error, Sendable, Equatable {
    /// The file or its directory can't be opened, created or written.
    case cannotOpen(path: String, reason: String)
    /// Another relay is using the file.
    case inUse(path: String)
    /// A restore was cut short, so that it isn't certain which files belong together.
    case restoreUnderWay(marker: String)
    /// An import was cut short: conversations lack messages, and all of their members. A relay would forget users who
    /// haven't come yet, and what it takes would stand in the way of importing the file again. The sentence names it.
    case importUnderWay(String)
    /// The file is not an SQLite database.
    case notADatabase(path: String)
    /// The file is an SQLite database, but not a Roost log.
    case foreign(path: String)
    /// The file has a newer schema: this migration is unknown.
    case unknownSchema(path: String, migration: String)
    /// SQLite refused a setting that durability or erasure depends on.
    case settingRefused(path: String, setting: String, wanted: String, got: String)
    /// An operation failed; `code` is SQLite's extended result code.
    case failed(operation: String, code: Int32, message: String)
    /// The log contradicts itself.
    case inconsistent(String)
    /// An index contradicts the log. It can be rebuilt from the log.
    case damagedIndex(String)
    /// An earlier commit failed: the writer accepts nothing more, because nothing can be assumed after a failed fsync.
    case poisoned
    /// This user may not use a file; `owner` says whose it is and its mode.
    case notPermitted(path: String, owner: String, user: String)
    /// The store is gone, although something beside it shows that there was one.
    case missing(path: String, trace: StoreTrace)
    /// The store has 0 bytes, although something beside it shows that it had content.
    case emptied(path: String, trace: StoreTrace)
    /// A file of the store is no longer the one that is open.
    case replaced(path: String)
    /// Another program did this until the relay had to stop.
    case obstructed(String)
    /// More rows would have to be indexed than fit into memory, and the disk is full.
    case noRoomToIndex(rows: Int64)
    /// Used after `close()`.
    case closed
}

extension StorageFailure {
    /// Whether SQLite found a damaged page.
    var isDamage: Bool {
        if case .failed(_, let code, _) = self { code & 0xFF == SQLITE_CORRUPT } else { false }
    }

    /// Whether an index is damaged, by SQLite's finding or by its checksum.
    var isIndexDamage: Bool {
        if case .damagedIndex = self { true } else { isDamage }
    }

    /// Whether SQLite couldn't read a page. The next attempt may succeed.
    var isReadFailure: Bool {
        if case .failed(_, let code, _) = self { StorageFailure.readFailures.contains(code) } else { false }
    }

    /// SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ (sqlite.org/rescode.html): macros that Swift can't import.
    private static let readFailures = [SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 2 << 8]

    /// Whether there was no room on the disk.
    var isFull: Bool {
        if case .failed(_, let code, _) = self { code & 0xFF == SQLITE_FULL } else { false }
    }

    /// Whether a row contradicts a key or another constraint of its table.
    var isConflict: Bool {
        if case .failed(_, let code, _) = self { code & 0xFF == SQLITE_CONSTRAINT } else { false }
    }

    /// Whether another connection has the lock.
    var isBusy: Bool {
        if case .failed(_, let code, _) = self { code & 0xFF == SQLITE_BUSY } else { false }
    }
}

extension StoreTrace: CustomStringConvertible {
    /// A clause for the operator.
    public var description: String {
        switch self {
        case .note(let position): "the note beside it says that its log had come to position \(position)"
        case .log(let path): "\(path) has content"
        }
    }

    /// The file that shows it.
    func file(_ store: String) -> String {
        switch self {
        case .note: "\(store).lock"
        case .log(let path): path
        }
    }
}

extension StorageFailure: CustomStringConvertible {
    /// One line for the operator of a relay.
    public var description: String { description(advice: "then restart the relay") }

    /// One line for the operator who runs a command on a store.
    public var commandDescription: String { description(advice: "then run the command again") }

    private func description(advice: String) -> String {
        switch self {
        case .cannotOpen(let path, let reason):
            "\(path): can't be opened (\(reason)); check the path and that the relay may write to its directory"
        case .inUse(let path):
            "\(path): another relay has this store open; stop it first, or name another store"
        case .restoreUnderWay(let marker):
            "\(marker): a restore was cut short; run `roost store restore` again"
        case .importUnderWay(let sentence):
            "\(sentence), or leave it as it is by `roost store import --give-up`; no relay starts on the store before"
        case .notADatabase(let path):
            "\(path): not an SQLite database; move the file away or name another path"
        case .foreign(let path):
            "\(path): an SQLite database of another program; name another path"
        case .unknownSchema(let path, let migration):
            "\(path): has an unknown schema (\"\(migration)\"); run the version of Roost that wrote it"
        case .settingRefused(let path, let setting, let wanted, let got):
            "\(path): SQLite answered \(got) to \(setting) = \(wanted); use a local file system that supports it"
        case .failed(let operation, let code, let message):
            "the store failed at \(operation): \(message) (SQLite \(code)); "
                + (isFull ? "make room on the disk, \(advice)" : "check the disk")
                + (isFull || isReadFailure ? "" : ", \(advice)")
        case .inconsistent(let what):
            "the store contradicts itself: \(what); restore a backup"
        case .damagedIndex(let what):
            "an index of the store is damaged: \(what); stop the relay and run `roost store reindex`"
        case .poisoned:
            "the store refused an earlier commit and takes nothing more; check the disk, \(advice)"
        case .notPermitted(let path, let owner, let user):
            "\(path): permission denied for \(user): \(owner); give the file to the user the relay runs as (chown)"
        case .missing(let path, let trace):
            "\(path): is gone, but \(trace); put it back, restore a backup, or remove \(trace.file(path)) to begin anew"
        case .emptied(let path, let trace):
            "\(path): has 0 bytes, but \(trace); nothing was changed: put the file back with what stands beside it, "
                + "restore a backup, or remove both \(path) and \(trace.file(path)) to begin anew"
        case .replaced(let path):
            "\(path): was deleted, moved or replaced while the relay had it open; before the next start, put it back "
                + "or restore a backup"
        case .obstructed(let what):
            "another program \(what); end it, \(advice)"
        case .noRoomToIndex(let rows):
            "the disk is full, and \(rows) rows have yet to be indexed; make room, \(advice)"
        case .closed:
            "the store is closed"
        }
    }
}
