/// One named step of the schema. The list only grows at its end, and a released step is never changed, so the names in
/// a store define its schema exactly.
struct Migration {
    let name: String
    let sql: String

    /// "Rost": marks the file as Roost's in its header (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = "1383035764"

    static let all = [
        Migration(
            name: "1-rows-keys-joins-renewals-marks-expiry-sign-ins-feeds-names-invitations-and-waiting",
            sql: [Schema.log, Schema.directory, Schema.indexes, Schema.views].joined(separator: "\n"))
    ]

    /// Throws `foreign` unless the file is new or a log of Roost. Changes nothing.
    static func checkOwner(of database: Database) throws {
        let owner = try database.value("PRAGMA application_id") ?? "0"
        let tables = try database.value("SELECT count(*) FROM sqlite_schema") ?? "0"
        guard owner == applicationID || (owner == "0" && tables == "0") else {
            throw StorageFailure.foreign(path: database.path)
        }
    }

    /// Whether nothing is missing, so that nothing has to be written.
    static func isComplete(_ migrations: [Migration] = all, in database: Database) throws -> Bool {
        guard try database.value("PRAGMA application_id") == applicationID,
            try database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'migration'") == "1"
        else { return false }
        return try applied(in: database) == migrations.map(\.name)
    }

    /// Applies the missing migrations in one transaction. Throws `unknownSchema` if the store has a migration that
    /// isn't in the list. `body` is done in the same transaction, when the schema is what it should be.
    static func apply(
        _ migrations: [Migration] = all, to database: Database, _ body: () throws -> Void = {}
    ) throws {
        try database.transaction {
            try database.execute(
                """
                PRAGMA application_id = \(applicationID);
                CREATE TABLE IF NOT EXISTS migration (
                    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at INTEGER NOT NULL
                ) STRICT
                """)
            let done = try applied(in: database)
            for (index, name) in done.enumerated() where index >= migrations.count || migrations[index].name != name {
                throw StorageFailure.unknownSchema(path: database.path, migration: name)
            }
            let record = try database.prepare(
                "INSERT INTO migration (name, applied_at) VALUES (?1, unixepoch() * 1000)")
            for migration in migrations.dropFirst(done.count) {
                try database.execute(migration.sql)
                try record.bind(1, copying: migration.name)
                try record.run()
            }
            try body()
        }
    }

    /// Names of the applied migrations, oldest first.
    static func applied(in database: Database) throws -> [String] {
        let query = try database.prepare("SELECT name FROM migration ORDER BY number")
        var names: [String] = []
        while try query.step() { names.append(query.text(0)) }
        return names
    }
}
