/// Why a command of `roost store` didn't do its work. The description is one line for the operator: the file, and what
/// to do. It never holds a body or a key.
public enum ToolFailure: Error, Sendable, Equatable {
    /// There is no file at the path.
    case noStore(path: String)
    /// The file has 0 bytes, and nothing beside it shows that it had content.
    case empty(path: String)
    /// There is no file of lines at the path.
    case noFile(path: String)
    /// Something stands where a new file should come to stand.
    case exists(path: String)
    /// Another process is writing the same file.
    case beingWritten(path: String)
    /// A file can't be written, moved or synced.
    case cannotWrite(path: String, reason: String)
    /// A backup that isn't sound; the first finding, and how many there are.
    case damagedBackup(path: String, finding: String, count: Int)
    /// The backup is the store itself.
    case sameFile(path: String)
    /// There is no user, or no conversation, of that name.
    case unknown(what: String, name: String)
    /// Erased content is still in the write-ahead log, because another program has the store open.
    case heldBack(path: String)
    /// A line of an import can't be taken.
    case line(path: String, number: Int64, reason: String)
}

extension ToolFailure {
    /// Whether the operator named something that isn't there: no run of the same command can succeed.
    public var isMistake: Bool {
        switch self {
        case .noStore, .empty, .noFile, .exists, .sameFile, .unknown: true
        case .beingWritten, .cannotWrite, .damagedBackup, .heldBack, .line: false
        }
    }
}

extension ToolFailure: CustomStringConvertible {
    /// One line for the operator.
    public var description: String {
        switch self {
        case .noStore(let path):
            "\(path): there is no such file; name the store by --store or the configuration"
        case .empty(let path):
            "\(path): has 0 bytes, so there is no store in it; name the store by --store or the configuration"
        case .noFile(let path):
            "\(path): there is no such file"
        case .exists(let path):
            "\(path): exists already and is left alone; name another file"
        case .beingWritten(let path):
            "\(path): another process is writing this file; wait for it, or name another file"
        case .cannotWrite(let path, let reason):
            "\(path): can't be written (\(reason)); check the path, its permissions and the space on the disk"
        case .damagedBackup(let path, let finding, let count):
            """
            \(path): damaged: \(finding)\(count > 1 ? " (and \(count - 1) more)" : ""); nothing was changed, restore \
            another backup
            """
        case .sameFile(let path):
            "\(path): is the store itself; name a backup"
        case .unknown(let what, let name):
            "the store has no \(what) \(name)"
        case .heldBack(let path):
            """
            \(path): another program has the store open, so that erased texts are still in its files; end it and run \
            this again
            """
        case .line(let path, let number, let reason):
            "\(path):\(number): \(reason); nothing of this line or after it was imported"
        }
    }
}

extension StorageFailure {
    /// Whether the operator named something that is no store of this version.
    public var isMistake: Bool {
        switch self {
        case .foreign, .unknownSchema: true
        default: false
        }
    }
}
