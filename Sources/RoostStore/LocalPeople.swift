public import RoostWire

/// The profiles that this device has got. The profile of a user with the highest version counts, in whatever order they
/// come (Docs/Protocol.md, section 14). It belongs to the thread of its store.
public final class LocalPeople {
    /// The users whose profiles have changed since the last look.
    public enum Changes: Sendable, Equatable {
        /// Those of these users.
        case of(Set<String>)
        /// All, as after another log.
        case all
    }

    private let database: LocalDatabase
    // Most profiles that are kept; the one that came first goes first, and can be asked for.
    private let most: Int
    private var changes = Changes.of([])

    static let migrations = [
        LocalMigration(
            name: "5 people",
            sql: """
                CREATE TABLE person(
                    number INTEGER PRIMARY KEY,
                    user TEXT NOT NULL UNIQUE,
                    version INTEGER NOT NULL,
                    is_whole INTEGER NOT NULL,
                    name TEXT,
                    username TEXT,
                    photo TEXT,
                    bio TEXT,
                    role TEXT,
                    tier TEXT,
                    is_deleted INTEGER NOT NULL
                ) STRICT
                """)
    ]

    init(database: LocalDatabase, most: Int) {
        self.database = database
        self.most = most
    }

    // MARK: Reading

    /// The profile of a user; nil if this device has none.
    public func profile(of user: String) throws(LocalFailure) -> UserProfile? {
        try database.rows(
            """
            SELECT user, version, name, username, photo, bio, role, tier, is_deleted FROM person WHERE user = ?
            """,
            [.text(user)], LocalPeople.profile
        ).first
    }

    private static func profile(_ row: LocalStatement) -> UserProfile {
        func text(_ column: Int32) -> String? { row.isNull(column) ? nil : row.text(column) }
        return UserProfile(
            user: row.text(0), version: row.integer(1), name: text(2), username: text(3), photo: text(4),
            bio: text(5), role: text(6), tier: text(7), isDeleted: row.integer(8) != 0)
    }

    /// Returns the users whose profiles have changed since the last call.
    public func takeChanges() -> Changes {
        defer { changes = .of([]) }
        return changes
    }

    // MARK: Writing

    /// Takes the people in lists of conversations: a part of each profile.
    func take(people: [UserProfile]) throws(LocalFailure) {
        for one in people where one.version > 0 { try put(one, isWhole: false) }
    }

    /// Stores whole profiles, as events and `user.get` contain them. A profile without a version is hidden from this
    /// user: the old one stays, as after a block, so that a name doesn't turn into an id.
    public func take(_ profiles: [UserProfile]) throws(LocalFailure) {
        try database.transaction { () throws(LocalFailure) in
            for one in profiles where one.version > 0 { try put(one, isWhole: true) }
        }
    }

    private func put(_ one: UserProfile, isWhole: Bool) throws(LocalFailure) {
        func text(_ text: String?) -> LocalValue { text.map { .text($0) } ?? .null }
        let known = try database.rows(
            "SELECT version, is_whole FROM person WHERE user = ?", [.text(one.user)]
        ) { (version: $0.integer(0), isWhole: $0.integer(1) != 0) }.first
        if let known {
            let isMore = one.version == known.version && isWhole && !known.isWhole
            guard one.version > known.version || isMore else { return }
        }
        try database.run(
            """
            INSERT OR REPLACE INTO person(user, version, is_whole, name, username, photo, bio, role, tier, is_deleted)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(one.user), .integer(one.version), .integer(isWhole ? 1 : 0), text(one.name), text(one.username),
                text(one.photo), text(one.bio), text(one.role), text(one.tier), .integer(one.isDeleted ? 1 : 0),
            ])
        // Each put takes the next number, so that the newest have the highest.
        try database.run("DELETE FROM person WHERE number <= ?", [.integer(database.lastID - Int64(most))])
        note(one.user)
    }

    private func note(_ user: String) {
        if case .of(let users) = changes { changes = .of(users.union([user])) }
    }

    /// The table was emptied.
    func forgetAll() { changes = .all }
}
