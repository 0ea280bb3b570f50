import RoostStore

/// Users who came by a friend's link and are still to be introduced to the owner, who may not have an account yet.
enum IntroductionTable {
    /// Two users to introduce to each other.
    struct Due: Sendable, Equatable {
        let user: String
        let inviter: String
    }

    static func insert(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("INSERT OR IGNORE INTO introduction_due(user) VALUES (?)", [.text(user)])
    }

    /// The next one behind this user, if there is an owner. Profiles go first, so that the two see each other's names.
    static func next(after user: String, _ database: LocalDatabase) throws(LocalFailure) -> Due? {
        guard let owner = try AccountTable.owner(database), !owner.isSuspended else { return nil }
        return try database.rows(
            """
            SELECT user FROM introduction_due
            WHERE user > ? AND NOT EXISTS (
                SELECT 1 FROM profile_due WHERE profile_due.user IN (introduction_due.user, ?))
            ORDER BY user LIMIT 1
            """,
            [.text(user), .text(owner.user)]
        ) { Due(user: $0.text(0), inviter: owner.user) }.first
    }

    static func delete(_ due: Due, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM introduction_due WHERE user = ?", [.text(due.user)])
    }

    /// Counts those that wait.
    static func count(_ database: LocalDatabase) throws(LocalFailure) -> Int {
        try database.rows("SELECT count(*) FROM introduction_due") { Int($0.integer(0)) }.first ?? 0
    }
}
