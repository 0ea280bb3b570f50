import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The lock on a device's file among all programs that have opened it: an app and its extensions. Writers share it,
/// each for the length of a transaction; a program that opens the file, and may have to make it anew, holds it alone.
/// It is never held for longer, because a system may end a suspended program that holds a lock.
///
/// It is a lock on a file beside the other one, `….lock`, which says nothing and stays. It belongs to one thread at a
/// time.
final class FileTurn {
    /// Another program makes a file anew in well under a second.
    static let waitMax: UInt32 = 5_000_000
    private static let step: UInt32 = 5_000

    private let file: Int32
    private let waitMax: UInt32
    private var isHeld = false

    /// - Parameter waitMax: microseconds after which the others have had it for too long.
    init(path: String, waitMax: UInt32 = FileTurn.waitMax) throws(LocalFailure) {
        self.waitMax = waitMax
        // A database in memory belongs to this process alone, and has no file beside it.
        let side = path == ":memory:" ? "/dev/null" : path + ".lock"
        file = open(side, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw LocalFailure(code: SQLITE_CANTOPEN, description: "open: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(file) }

    /// Has the turn while `body` runs; inside another turn of this object it is a part of that one.
    /// - Throws: what `body` throws, or a failure that `mayPass` if the others need too long.
    func have<Result>(
        alone: Bool, _ body: () throws(LocalFailure) -> Result
    ) throws(LocalFailure) -> Result {
        guard !isHeld else { return try body() }
        var waited: UInt32 = 0
        while flock(file, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, waited < waitMax else {
                throw LocalFailure(code: SQLITE_BUSY, description: "another program is at the file")
            }
            usleep(FileTurn.step)
            waited += FileTurn.step
        }
        isHeld = true
        defer {
            isHeld = false
            _ = flock(file, LOCK_UN)
        }
        return try body()
    }
}
