import Glibc

/// Keeps a second relay out of the store, until `release()` or the end of the process. SQLite's own locks would allow
/// two relays, each with its own next position. There are two locks, and a relay needs both. The one on a file beside
/// the store also holds while there is no store, or while another file takes its place. The one on the store itself
/// also holds if that file was removed, or if the store has another name, such as a hard link.
final class FileLock {
    /// The byte of the store that is locked. It is beyond the end of every database and beyond the bytes that SQLite
    /// locks (sqlite.org/fileformat2.html#the_lock_byte_page).
    private static let lockedByte: off_t = 1 << 62

    /// F_OFD_SETLK of Linux (fcntl(2)), which Swift's module of the C library leaves out.
    private static let setLockOfOpenFile: Int32 = 37

    /// A command that reads asks for a moment for the lock (`isHeld`), which must not keep a relay from starting.
    private static let attempts = 20
    private static let pauseMicroseconds: UInt32 = 5_000

    private let path: String
    /// The open file beside the store; -1 after `release()`.
    private(set) var descriptor: Int32
    private var storeDescriptor: Int32 = -1

    /// Locks `path` + ".lock", and the store if it exists. Creates the folder, for its owner only, if the parent folder
    /// exists. Throws `inUse` if another process has a lock, `notPermitted` or `cannotOpen` if a file can't be opened
    /// or created. Files created by root belong to the owner of the store or its folder.
    init(for path: String) throws {
        self.path = path
        // If this fails, opening fails too and says why.
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { mkdir(String(path[..<slash]), 0o700) }
        let file = path + ".lock"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileLock.failure(toOpen: file, of: path, errno) }
        Ownership.give(descriptor, toOwnerOf: path)
        guard lockFile() else {
            let code = errno
            release()
            throw FileLock.failure(toLock: path, code)
        }
        if access(path, F_OK) == 0 { try lockStore() }
    }

    deinit { release() }

    private func lockFile() -> Bool {
        for attempt in 0..<FileLock.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR, attempt + 1 < FileLock.attempts else { return false }
            usleep(FileLock.pauseMicroseconds)
            errno = EWOULDBLOCK
        }
        return false
    }

    /// Whether a relay, or a command that changes the store, has the lock. It asks for a moment for the shared lock.
    static func isHeld(for path: String) -> Bool {
        let descriptor = open(path + ".lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == EACCES }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
        _ = flock(descriptor, LOCK_UN)
        return false
    }

    /// Locks the store itself, once it exists. Throws as `init` does.
    func lockStore() throws {
        guard storeDescriptor < 0 else { return }
        // Not closed before SQLite has closed the file, not even if another relay has the lock: that would end the
        // process's own locks, too (fcntl(2)).
        storeDescriptor = open(path, O_RDWR | O_CLOEXEC)
        guard storeDescriptor >= 0 else { throw FileLock.failure(toOpen: path, of: path, errno) }
        // A lock of this open file, not of the process, so that no other use of the file in the process ends it.
        guard lockStore(as: F_WRLCK) else {
            let code = errno
            storeDescriptor = -1
            throw FileLock.failure(toLock: path, code)
        }
    }

    private func lockStore(as type: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = FileLock.lockedByte
        lock.l_len = 1
        return fcntl(storeDescriptor, FileLock.setLockOfOpenFile, &lock) == 0
    }

    /// Releases the locks, after the store was closed. The file beside it stays: if it were removed, two processes
    /// could lock two different files. A child that another thread is just starting has copies of the open files until
    /// it runs its program, and would keep locks that only `close` ends (fcntl(2), flock(2)).
    func release() {
        if storeDescriptor >= 0 {
            _ = lockStore(as: F_UNLCK)
            close(storeDescriptor)
        }
        if descriptor >= 0 {
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        storeDescriptor = -1
        descriptor = -1
    }

    /// EACCES means here that the file is another user's.
    private static func failure(toOpen file: String, of path: String, _ code: Int32) -> StorageFailure {
        let denial = code == EACCES || code == EPERM ? Ownership.denial(ofFile: file) : nil
        return denial ?? .cannotOpen(path: path, reason: String(cString: strerror(code)))
    }

    /// EACCES is one of the two answers to a lock that another process has (fcntl(2)).
    private static func failure(toLock path: String, _ code: Int32) -> StorageFailure {
        code == EWOULDBLOCK || code == EACCES
            ? .inUse(path: path) : .cannotOpen(path: path, reason: String(cString: strerror(code)))
    }
}
