import Glibc
import RoostAuth

/// The data folder: its lock, and whether it still has the database that was made in it. Two processes would count
/// attempts apart, and end each other's sessions. The lock is let go with the process, however that ends.
package final class DataFolder: Sendable {
    private let path: String
    private let file: Int32

    /// Takes the lock.
    /// - Throws: `KeyFailure`, if the folder can't be used, or has lost its database; `ServiceFault`, if another
    ///   process has the lock: one that is about to end, perhaps, so that a later start may take it.
    package init(_ path: String) throws {
        self.path = path
        let lock = path + "/lock"
        file = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw KeyFailure("\(path): can't be written: \(String(cString: strerror(errno)))") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw ServiceFault(.unavailable, "\(path): another roost-services uses this folder")
        }
        // To begin anew without a word would print the link of the owner for whoever reads the log.
        guard DataFolder.size(of: lock) == 0 || DataFolder.size(of: database) > 0 else {
            throw KeyFailure(
                "\(database): is missing or empty; put a backup there, or delete \(lock) to begin without accounts")
        }
    }

    deinit {
        guard file >= 0 else { return }
        // A child that is just being started has a copy of the open file, and would keep the lock a little longer.
        _ = flock(file, LOCK_UN)
        close(file)
    }

    /// Where the database is.
    package var database: String { path + "/services.db" }

    /// Remembers, in the file of the lock, that the database has been made.
    package func markDatabase() throws(KeyFailure) {
        let mark = Array("services.db was made\n".utf8)
        guard pwrite(file, mark, mark.count, 0) == mark.count else {
            throw KeyFailure("\(path): can't be written: \(String(cString: strerror(errno)))")
        }
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
