import CSQLite

/// A device's file, as it is opened. A damaged file is made anew, because the user couldn't chat with it: also one that
/// an earlier use found damaged. No other program uses it meanwhile.
struct LocalFile {
    let path: String

    /// Opens the file, or creates it, and makes it anew if it, or what `read` needs of it, is damaged.
    /// - Returns: what `read` returns, and what was saved of a damaged file.
    func open<Parts>(
        _ read: (LocalDatabase) throws(LocalFailure) -> Parts
    ) throws(LocalFailure) -> (Parts, LocalRepair?) {
        let file = DamagedFile(path: path)
        let turn = try FileTurn(path: path)
        return try turn.have(alone: true) { () throws(LocalFailure) in
            file.finish()
            do throws(LocalFailure) {
                if !file.isMarked && !file.hidesContent { return (try self.read(turn, read), nil) }
            } catch {
                guard error.isDamage else { throw error }
            }
            let repair = try file.replace(migrations: LocalStore.migrations)
            return (try self.read(turn, read), repair)
        }
    }

    private func read<Parts>(
        _ turn: FileTurn, _ read: (LocalDatabase) throws(LocalFailure) -> Parts
    ) throws(LocalFailure) -> Parts {
        let database = try LocalDatabase(path: path, migrations: LocalStore.migrations, turn: turn)
        // SQLite sees no bit that was flipped within a value.
        for sql in [OutboxTable.hasChanged, LocalIdentity.hasChanged] {
            guard try database.rows(sql, [], { _ in true }).isEmpty else {
                throw LocalFailure(code: SQLITE_CORRUPT, description: "a row isn't as it was written")
            }
        }
        return try read(database)
    }
}
