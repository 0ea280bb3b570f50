public import RoostWire

/// The user's contacts as this device knows them, for a start without a network. It belongs to the thread of its store.
public final class LocalContacts {
    private let database: LocalDatabase

    /// Most contacts that are kept: twice what the relay lets a user have.
    public static let contactsMax = 10_000

    static let migrations = [
        LocalMigration(
            name: "11 contacts",
            sql: """
                CREATE TABLE contact(
                    user TEXT NOT NULL PRIMARY KEY,
                    kind TEXT NOT NULL,
                    state TEXT NOT NULL,
                    label TEXT NOT NULL,
                    since INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID
                """)
    ]

    init(database: LocalDatabase) { self.database = database }

    /// All contacts and invitations, in the order of their users.
    public func contacts() throws(LocalFailure) -> [Contact] {
        try database.rows("SELECT user, kind, state, label, since FROM contact ORDER BY user") { row -> Contact? in
            guard let state = ContactState(word: row.text(2)) else { return nil }
            return Contact(
                user: row.text(0), kind: row.text(1), state: state, label: row.text(3),
                since: Timestamp(milliseconds: row.integer(4)))
        }.compactMap { $0 }
    }

    /// Stores a contact, or removes it if it is nil. Above `contactsMax` a new one is left out.
    public func put(_ user: String, _ contact: Contact?) throws(LocalFailure) {
        guard let contact else { return try database.run("DELETE FROM contact WHERE user = ?", [.text(user)]) }
        try database.run(
            """
            INSERT INTO contact(user, kind, state, label, since)
            SELECT ?1, ?2, ?3, ?4, ?5
            WHERE (SELECT COUNT(*) FROM contact) < ?6 OR EXISTS (SELECT 1 FROM contact WHERE user = ?1)
            ON CONFLICT(user) DO UPDATE SET kind = ?2, state = ?3, label = ?4, since = ?5
            """,
            [
                .text(user), .text(contact.kind), .text("\(contact.state.word)"), .text(contact.label),
                .integer(contact.since.milliseconds), .integer(Int64(LocalContacts.contactsMax)),
            ])
    }

    /// Stores the relay's complete list in place of what is here.
    public func replace(with contacts: [Contact]) throws(LocalFailure) {
        try database.transaction { () throws(LocalFailure) in
            try database.run("DELETE FROM contact")
            for one in contacts { try put(one.user, one) }
        }
    }
}
