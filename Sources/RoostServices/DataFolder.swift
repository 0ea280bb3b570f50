import Glibc
import RoostAuth

/// The lock on the data folder: two processes would count attempts apart, and end each other's sessions. It is let go
/// with the process, however that ends.
package final class DataFolder: Sendable {
    private let file: Int32

    /// Takes the lock.
    package init(_ path: String) throws(KeyFailure) {
        let file = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw KeyFailure("\(path): can't be written: \(String(cString: strerror(errno)))") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            throw KeyFailure("\(path): another roost-services uses this folder")
        }
        self.file = file
    }

    deinit { close(file) }
}
