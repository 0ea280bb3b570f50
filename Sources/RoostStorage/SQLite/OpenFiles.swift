import CSQLite
import Glibc

/// The files of an open store, and which files these were when it was opened. SQLite goes on with a file that was
/// deleted, moved or replaced, as if nothing had happened; all that it stores is gone at the next start.
struct OpenFiles {
    private struct File {
        let path: String
        let device: dev_t
        let inode: ino_t
    }

    private let files: [File]

    /// The files that a connection in WAL mode has open now.
    init(of database: Database) throws(StorageFailure) {
        var files: [File] = []
        guard let path = database.filePath else { throw .cannotOpen(path: database.path, reason: "it is no file") }
        for path in [path, path + "-wal", path + "-shm"] {
            guard let found = OpenFiles.find(path) else { throw .replaced(path: path) }
            files.append(found)
        }
        self.files = files
    }

    /// Throws `replaced` unless each path still names the same file.
    func check() throws(StorageFailure) {
        for file in files {
            guard let found = OpenFiles.find(file.path), found.device == file.device, found.inode == file.inode else {
                throw .replaced(path: file.path)
            }
        }
    }

    private static func find(_ path: String) -> File? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        return File(path: path, device: found.st_dev, inode: found.st_ino)
    }
}
