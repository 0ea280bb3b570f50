import Glibc

/// The copy of a store that is made before a newer version of Roost changes its schema: the older version refuses the
/// store afterwards, and this is the way back to it.
enum UpgradeBackup {
    /// Pages between two looks at the progress: 4 MiB.
    private static let pagesPerStep: Int32 = 512

    /// Where it stands: the path with the name of the newest migration that it has.
    static func path(of store: String, at migration: String) -> String { "\(store).before-upgrade-from-\(migration)" }

    /// Copies the store if migrations of the list are missing in it. A copy that is there already is of an upgrade that
    /// was interrupted, or of one that was taken back: it stays, because what came after it isn't what it was made for.
    /// - Throws: if there is no room, or the file can't be written. The store is as it was.
    static func make(
        of database: Database, before migrations: [Migration], _ reporter: StorageReporter
    ) throws {
        guard try database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'migration'") == "1" else { return }
        let applied = try Migration.applied(in: database)
        guard let newest = applied.last, applied.count < migrations.count else { return }
        let path = path(of: database.path, at: newest)
        if access(path, F_OK) != 0 {
            try copy(database, to: path)
            reporter.note(.progress, "the store as it was before the upgrade is in \(path)")
        }
        reporter.note(
            .progress,
            "to go back to the earlier version: stop this one, and with the earlier one run "
                + "`roost store restore \(path) --store \(database.path)`; what was written since is lost")
    }

    private static func copy(_ database: Database, to path: String) throws {
        let file = try NewFile(at: path)
        do {
            let copy = try Database(path: file.draft)
            defer { copy.close() }
            try PageCopy.run(from: database, to: copy, pagesPerStep: pagesPerStep) { _ in }
            copy.close()
            file.giveToOwner(of: database.path)
            try file.publish()
        } catch {
            file.discard()
            throw error
        }
    }
}
