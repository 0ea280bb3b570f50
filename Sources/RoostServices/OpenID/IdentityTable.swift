import RoostStore

/// An identity elsewhere by which the owner of an account signs in.
struct LinkedIdentity: Sendable, Equatable {
    var id: String
    var issuer: String
    var subject: String
    var user: String
    var created: Int64
}

/// A grant of a provider, which only we can read.
struct SealedGrant: Sendable, Equatable {
    /// Our client that it was given to.
    var client: String
    var bytes: [UInt8]
}

/// The statements about identities. Whatever deletes one leaves its grant to `EndedGrantTable`, by a trigger.
enum IdentityTable {
    private static let columns = "id, issuer, subject, user, created"

    private static func identity(_ row: LocalStatement) -> LinkedIdentity {
        LinkedIdentity(
            id: row.text(0), issuer: row.text(1), subject: row.text(2), user: row.text(3), created: row.integer(4))
    }

    /// Returns false if the identity has an account.
    static func insert(_ identity: LinkedIdentity, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try database.run(
            "INSERT INTO identity(\(columns)) VALUES (?, ?, ?, ?, ?) ON CONFLICT(issuer, subject) DO NOTHING",
            [
                .text(identity.id), .text(identity.issuer), .text(identity.subject), .text(identity.user),
                .integer(identity.created),
            ])
        return database.changes == 1
    }

    static func find(
        _ issuer: String, _ subject: String, _ database: LocalDatabase
    ) throws(LocalFailure) -> LinkedIdentity? {
        try database.rows(
            "SELECT \(columns) FROM identity WHERE issuer = ? AND subject = ?", [.text(issuer), .text(subject)],
            identity
        ).first
    }

    static func all(_ user: String, _ database: LocalDatabase) throws(LocalFailure) -> [LinkedIdentity] {
        try database.rows(
            "SELECT \(columns) FROM identity WHERE user = ? ORDER BY created, id", [.text(user)], identity)
    }

    /// Keeps the newest grant. The one before it ended when the provider gave this one.
    static func setGrant(_ id: String, _ grant: SealedGrant, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "UPDATE identity SET client = ?, sealed = ? WHERE id = ?",
            [.text(grant.client), .bytes(grant.bytes), .text(id)])
    }

    static func delete(_ id: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM identity WHERE id = ?", [.text(id)])
    }

    static func deleteAll(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM identity WHERE user = ?", [.text(user)])
    }
}

/// Grants whose end hasn't been sent to their providers yet. Nothing in them names their users.
enum EndedGrantTable {
    /// One of them.
    struct Row: Sendable, Equatable {
        var id: Int64
        var issuer: String
        var grant: SealedGrant
        var tries: Int64
    }

    /// The oldest after `id`.
    static func next(
        after id: Int64, _ count: Int, _ database: LocalDatabase
    ) throws(LocalFailure) -> [Row] {
        try database.rows(
            "SELECT id, issuer, client, sealed, tries FROM ended_grant WHERE id > ? ORDER BY id LIMIT ?",
            [.integer(id), .integer(Int64(count))]
        ) { row in
            Row(
                id: row.integer(0), issuer: row.text(1), grant: SealedGrant(client: row.text(2), bytes: row.bytes(3)),
                tries: row.integer(4))
        }
    }

    static func countTry(_ id: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE ended_grant SET tries = tries + 1 WHERE id = ?", [.integer(id)])
    }

    static func delete(_ id: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM ended_grant WHERE id = ?", [.integer(id)])
    }
}
