import RoostCore
import RoostWire

/// The profiles. On the thread of its connection.
struct Profiles {
    private let insert: Statement

    init(_ database: Database) throws {
        insert = try database.prepare(
            """
            REPLACE INTO profile (user, version, name, username, photo, bio, role, tier, deleted)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
    }

    /// Stores a profile in place of the former one, of which nothing is left in the database.
    func set(_ profile: StoredProfile, of user: UserNumber) throws {
        insert.bind(1, user.value)
        insert.bind(2, profile.version)
        let texts = [profile.name, profile.username, profile.photo, profile.bio, profile.role, profile.tier]
        for (index, text) in texts.enumerated() { try insert.bind(Int32(3 + index), copying: text) }
        insert.bind(9, Int32(profile.isDeleted ? 1 : 0))
        try insert.run()
    }

    /// Calls `body` for each profile, in the order of the users.
    static func read(_ database: Database, _ body: (UserNumber, StoredProfile) throws -> Void) throws {
        let rows = try database.prepare(
            "SELECT user, version, name, username, photo, bio, role, tier, deleted FROM profile ORDER BY user")
        while try rows.step() {
            var profile = StoredProfile(version: rows.int64(1))
            (profile.name, profile.username, profile.photo) = (rows.text(2), rows.text(3), rows.text(4))
            (profile.bio, profile.role, profile.tier) = (rows.text(5), rows.text(6), rows.text(7))
            profile.isDeleted = rows.int32(8) != 0
            try body(UserNumber(rows.int32(0)), profile)
        }
    }
}
