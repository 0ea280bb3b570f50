import Glibc

/// Keeps a second relay off the store: an exclusive `flock` on a file next to it, held until `release()` or the end of
/// the process. SQLite's own locks would let two relays in, each with its own idea of the next position.
final class FileLock {
    private var descriptor: Int32

    /// Locks `path` + ".lock". Makes the folder, for its owner only, if its parent is there. Throws `inUse` if someone
    /// has the lock, `cannotOpen` if the file can't be made.
    init(for path: String) throws {
        // If that fails, so does opening, which says why.
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

    /// Lets go. The file stays: removing it would let two others lock two different files.
    func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }
}
