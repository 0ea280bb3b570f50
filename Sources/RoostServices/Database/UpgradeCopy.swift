import Glibc
import Logging
import RoostStore

/// The copy of the services' file that is made before a newer version of Roost changes its tables: the older version
/// refuses the file afterwards, and this is the way back to it.
enum UpgradeCopy {
    /// Where it stands: the path with the name of the newest migration that the file has.
    static func path(of database: String, at migration: String) -> String {
        "\(database).before-upgrade-from-\(migration)"
    }

    /// Copies the file if migrations of the list are missing in it. A copy that is there already is of an upgrade that
    /// was interrupted, or of one that was taken back, and stays.
    /// - Throws: `LocalFailure`, if there is no room, or the copy can't be written. The file is as it was.
    static func make(of path: String, before migrations: [LocalMigration], _ log: Logger) throws(LocalFailure) {
        guard access(path, F_OK) == 0 else { return }
        let database = try LocalDatabase(path: path, migrations: nil)
        let applied = try database.applied()
        guard let newest = migrations.last(where: { applied.contains($0.name) }),
            migrations.contains(where: { !applied.contains($0.name) })
        else { return }
        let copy = UpgradeCopy.path(of: path, at: newest.name)
        if access(copy, F_OK) != 0 {
            // One that was cut short has another name.
            let draft = copy + ".partial"
            unlink(draft)
            try database.copy(to: draft)
            try publish(draft, as: copy)
        }
        log.notice(
            """
            the tables are brought to a newer form. To go back to the earlier version, stop this one, delete \
            \(path)-wal and \(path)-shm, and move \(copy) to \(path). It has what is deleted from now on: delete it \
            when you don't need it any more
            """)
    }

    // SQLite doesn't sync what it makes.
    private static func publish(_ draft: String, as path: String) throws(LocalFailure) {
        let file = open(draft, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, fsync(file) == 0, rename(draft, path) == 0 else {
            throw LocalFailure(description: "\(path): \(String(cString: strerror(errno)))")
        }
    }
}
