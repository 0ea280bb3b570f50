import RoostStore

/// The keys of backends.
enum APIKeyTable {
    static func insert(_ key: APIKey, hash: [UInt8], _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "INSERT INTO api_key(name, hash, words, created) VALUES (?, ?, ?, ?)",
            [
                .text(key.name), .bytes(hash), .text(key.words.map(\.rawValue).sorted().joined(separator: " ")),
                .integer(key.created),
            ])
    }

    /// The key with this hash.
    static func find(_ hash: [UInt8], _ database: LocalDatabase) throws(LocalFailure) -> APIKey? {
        try database.rows("SELECT name, words, created FROM api_key WHERE hash = ?", [.bytes(hash)], read).first
    }

    /// All keys, by name.
    static func all(_ database: LocalDatabase) throws(LocalFailure) -> [APIKey] {
        try database.rows("SELECT name, words, created FROM api_key ORDER BY name", [], read)
    }

    /// Whether there is one of this name.
    static func has(_ name: String, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try !database.rows("SELECT 1 FROM api_key WHERE name = ?", [.text(name)], { _ in 0 }).isEmpty
    }

    /// Returns whether there was one.
    static func delete(_ name: String, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try database.run("DELETE FROM api_key WHERE name = ?", [.text(name)])
        return database.changes > 0
    }

    @Sendable private static func read(_ row: LocalStatement) -> APIKey {
        APIKey(
            row.text(0), words: Set(row.text(1).split(separator: " ").compactMap { APIKey.Word(rawValue: String($0)) }),
            created: row.integer(2))
    }
}
