import RoostStore

/// An operator's act. It has no address, no name and no secret, so that only the random id of a deleted person is left.
package struct AuditEntry: Sendable, Equatable {
    /// The kinds of acts.
    package enum Act: String, Sendable, CaseIterable {
        case show, find, role, tier, suspend, resume, revoke, delete
        /// To make a user an operator, or no longer.
        case appoint, dismiss
        /// To look at the mails that wait without a mail server: their links are as good as passwords.
        case letters
        /// To make a link to sign in by.
        case link
        /// To remove a user's second factor.
        case factor
        /// To say what a user is called, by a key of a backend.
        case name
        /// To read a reported message and what was written around it, to delete it, to warn its author, and to close
        /// the report.
        case read, remove, warn, close
        /// To make an invitation in a user's name, and to end one.
        case invite, uninvite
    }

    /// The actor: the user id of an operator, `@` and a name that the command line gave, or `@key:` and that of a key.
    package var actor: String
    package var act: Act
    /// The user acted on; nil for a search.
    package var user: String?
    /// The new role or tier, or the session that was ended.
    package var detail: String?

    /// Something that an operator did.
    package init(actor: String, act: Act, user: String? = nil, detail: String? = nil) {
        self.actor = actor
        self.act = act
        self.user = user
        self.detail = detail
    }
}

/// The statements about operators' acts. An entry is written in the transaction of its act.
enum AuditTable {
    /// An entry as it is kept.
    struct Row: Sendable, Equatable {
        var id: Int64
        /// Milliseconds since 1970.
        var time: Int64
        var entry: AuditEntry
    }

    /// Adds an entry, and drops the oldest if there are more than `keep`.
    static func insert(
        _ entry: AuditEntry, now: Int64, keep: Int, _ database: LocalDatabase
    ) throws(LocalFailure) {
        try database.run(
            "INSERT INTO audit(time, actor, act, user, detail) VALUES (?, ?, ?, ?, ?)",
            [
                .integer(now), .text(entry.actor), .text(entry.act.rawValue), entry.user.map { .text($0) } ?? .null,
                entry.detail.map { .text($0) } ?? .null,
            ])
        // The ids have no gaps: nothing else deletes any but the oldest.
        try database.run("DELETE FROM audit WHERE id <= ?", [.integer(database.lastID - Int64(keep))])
    }

    /// The newest ones, below an id if one is given, of one user if one is named.
    static func page(
        of user: String?, before: Int64?, limit: Int, _ database: LocalDatabase
    ) throws(LocalFailure) -> [Row] {
        let last = LocalValue.integer(before ?? .max)
        let columns = "id, time, actor, act, user, detail"
        guard let user else {
            return try database.rows(
                "SELECT \(columns) FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?", [last, .integer(Int64(limit))],
                row
            ).compactMap { $0 }
        }
        return try database.rows(
            "SELECT \(columns) FROM audit WHERE user = ? AND id < ? ORDER BY id DESC LIMIT ?",
            [.text(user), last, .integer(Int64(limit))], row
        ).compactMap { $0 }
    }

    private static func row(_ row: LocalStatement) -> Row? {
        guard let act = AuditEntry.Act(rawValue: row.text(3)) else { return nil }
        return Row(
            id: row.integer(0), time: row.integer(1),
            entry: AuditEntry(
                actor: row.text(2), act: act, user: row.isNull(4) ? nil : row.text(4),
                detail: row.isNull(5) ? nil : row.text(5)))
    }

    static func deleteOld(before time: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM audit WHERE time < ?", [.integer(time)])
    }
}
