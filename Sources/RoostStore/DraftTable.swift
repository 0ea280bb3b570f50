/// The drafts of users, in SQL. It belongs to the thread of its database.
struct DraftTable {
    let database: LocalDatabase

    static let migrations = [
        LocalMigration(
            name: "3 drafts of users",
            sql: """
                ALTER TABLE draft RENAME TO old_draft;
                CREATE TABLE draft(
                    user TEXT NOT NULL,
                    destination TEXT NOT NULL,
                    text TEXT NOT NULL,
                    PRIMARY KEY (user, destination)
                ) STRICT;
                INSERT INTO draft SELECT coalesce((SELECT user FROM identity), ''), destination, text FROM old_draft;
                DROP TABLE old_draft
                """)
    ]

    /// A user's draft under the first of these names that has one; empty if there is none.
    func draft(of user: String?, for names: [String]) throws(LocalFailure) -> String {
        for name in names {
            let found = try database.rows(
                "SELECT text FROM draft WHERE user = ? AND destination = ?", [.text(user ?? ""), .text(name)]
            ) { $0.text(0) }
            if let text = found.first { return text }
        }
        return ""
    }

    // Most that a session shares at its beginning: more than a person has begun, less than the relay takes in a burst.
    private static let destinationsMax: Int64 = 50

    /// Where a user has begun to write something.
    func destinations(of user: String?) throws(LocalFailure) -> [String] {
        try database.rows(
            "SELECT destination FROM draft WHERE user = ? ORDER BY destination LIMIT ?",
            [.text(user ?? ""), .integer(DraftTable.destinationsMax)]
        ) { $0.text(0) }
    }

    /// Keeps a text under the first of these names, and nothing under the others; an empty one under none.
    func keep(_ text: String, of user: String?, for names: [String]) throws(LocalFailure) {
        for name in names {
            try database.run(
                "DELETE FROM draft WHERE user = ? AND destination = ?", [.text(user ?? ""), .text(name)])
        }
        guard !text.isEmpty, let name = names.first else { return }
        try database.run(
            "INSERT INTO draft(user, destination, text) VALUES (?, ?, ?)",
            [.text(user ?? ""), .text(name), .text(text)])
    }

    /// Gives drafts from before any user was known to this user.
    func adopt(_ user: String) throws(LocalFailure) {
        try database.run("UPDATE OR REPLACE draft SET user = ? WHERE user = ''", [.text(user)])
    }

    /// Forgets all that a user has begun.
    func removeAll(of user: String?) throws(LocalFailure) {
        try database.run("DELETE FROM draft WHERE user = ?", [.text(user ?? "")])
    }
}
