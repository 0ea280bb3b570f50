import Foundation
import Glibc
import RoostAuth

/// The data folder: its lock, and whether it still has the database that was made in it. Two processes would count
/// attempts apart, and end each other's sessions. The lock is let go with the process, however that ends.
package final class DataFolder: Sendable {
    private let path: String
    private let file: Int32

    /// Makes the folder if there is none, and takes its lock.
    /// - Throws: `KeyFailure`, if the folder can't be used, or has lost its database; `ServiceFault`, if another
    ///   process has the lock: one that is about to end, perhaps, so that a later start may take it.
    package init(_ path: String) throws {
        self.path = path
        do {
            // The relay reads the public keys in it; only the owner may change what there is.
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
            throw KeyFailure("\(path): can't be created")
        }
        file = open(DataFolder.lock(in: path), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw KeyFailure("\(path): can't be written: \(String(cString: strerror(errno)))") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw ServiceFault(.unavailable, "\(path): another roost-services uses this folder")
        }
        try DataFolder.checkNotLost(path)
    }

    deinit {
        guard file >= 0 else { return }
        // A child that is just being started has a copy of the open file, and would keep the lock a little longer.
        _ = flock(file, LOCK_UN)
        close(file)
    }

    /// Where the database is.
    package var database: String { DataFolder.database(in: path) }

    /// Whether the database has been made, so that one without tables isn't a new one.
    package var hasHadDatabase: Bool { DataFolder.size(of: DataFolder.lock(in: path)) > 0 }

    /// Remembers, in the file of the lock, that the database has been made.
    package func markDatabase() throws(KeyFailure) {
        let mark = Array("services.db was made\n".utf8)
        guard pwrite(file, mark, mark.count, 0) == mark.count else {
            throw KeyFailure("\(path): can't be written: \(String(cString: strerror(errno)))")
        }
    }

    private static func database(in path: String) -> String { path + "/services.db" }

    private static func lock(in path: String) -> String { path + "/lock" }

    // MARK: The guard of all commands

    /// The database of a folder, for a command beside the process that serves, which alone makes one.
    /// - Throws: `KeyFailure`, if the folder has lost its database; `ServiceFault`, if it never had one. Nothing is
    ///   made or changed.
    package static func existingDatabase(in path: String) throws -> String {
        try checkNotLost(path)
        let database = database(in: path)
        guard size(of: database) > 0 else {
            throw ServiceFault(
                .unavailable,
                "\(database): there is no database; start `roost up` first, or name its folder by services.data")
        }
        return database
    }

    /// Checks that there is a database if there was one. It reads no more than a header, because SQLite takes a file of
    /// 0 bytes for a new database, and deletes the log beside it with commits that are nowhere else.
    /// - Throws: `KeyFailure`. Nothing is made or changed.
    package static func checkNotLost(_ path: String) throws(KeyFailure) {
        let database = database(in: path)
        guard !isRelayStore(database) else {
            throw KeyFailure(
                "\(database): is the relay's store and not the services' database; name another folder by services.data"
            )
        }
        guard size(of: database) == 0 else { return }
        // SQLite keeps it beside the file itself, not beside a link to it.
        let log = realPath(of: database) + "-wal"
        guard size(of: log) == 0 else {
            throw KeyFailure(
                "\(database): is missing or empty, but \(log) has commits that may be nowhere else; nothing was "
                    + "changed: put the file back beside it or, if it is lost, keep \(log) in another folder and put a "
                    + "backup there")
        }
        // To begin anew without a word would print the link of the owner for every reader of the log.
        guard size(of: lock(in: path)) == 0 else {
            throw KeyFailure(
                "\(database): is missing or empty; put a backup there, or delete \(lock(in: path)) to begin without "
                    + "accounts")
        }
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func realPath(of path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// Whether the header has the relay's mark, `Migration.applicationID` (sqlite.org/fileformat.html, section 1.3.16).
    private static func isRelayStore(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var mark = [UInt8](repeating: 0, count: 4)
        return pread(file, &mark, mark.count, 68) == mark.count && mark == Array("Rost".utf8)
    }

    // MARK: Modes

    /// The rights of others than its owner to the database or its folder: lines for the operator, worded like those of
    /// the relay's store.
    package func warnings() -> [String] {
        var lines: [String] = []
        let folder = DataFolder.realPath(of: path)
        if let mode = DataFolder.mode(of: folder), mode & (S_IWGRP | S_IWOTH) != 0 {
            lines.append(
                "\(folder): mode \(String(mode, radix: 8)) lets other users replace the database; run: chmod go-w "
                    + folder)
        }
        // SQLite gives the files beside it the same mode.
        if let mode = DataFolder.mode(of: database), mode & (S_IWGRP | S_IRWXO) != 0 {
            lines.append(
                "\(database): mode \(String(mode, radix: 8)) lets other users read or change the accounts; run: "
                    + "chmod g-w,o-rwx \(database)")
        }
        return lines
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
