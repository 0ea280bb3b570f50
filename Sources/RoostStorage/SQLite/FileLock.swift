import Glibc

/// Keeps a second relay out of the store: an exclusive `flock` on a file beside it, held until `release()` or the end
/// of the process. SQLite's own locks would allow two relays, each with its own next position.
final class FileLock {
    private var descriptor: Int32

    /// Locks `path` + ".lock". Creates the folder, for its owner only, if the parent folder exists. Throws `inUse` if
    /// another process has the lock, `cannotOpen` if the file can't be created.
    init(for path: String) throws {
        // If this fails, opening fails too and says why.
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { mkdir(String(path[..<slash]), 0o700) }
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StorageFailure.cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            release()
            throw code == EWOULDBLOCK
                ? StorageFailure.inUse(path: path)
                : StorageFailure.cannotOpen(path: path, reason: String(cString: strerror(code)))
        }
    }

    deinit { release() }

    /// Releases the lock. The file stays: if it were removed, two processes could lock two different files.
    func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }
}
