/// A part of the key index that holds the keys of about two million neighbouring rows in its own range of the table.
/// Only the newest generation is written to; a full one changes only by erasing. A value.
struct KeyGeneration {
    let number: Int64
    var keys: Int
    /// The position of its last row; for the newest generation, the last row so far.
    var upTo: Int64
    var filter: KeyFilter
}

/// The key index's prepared statements.
struct KeyStatements {
    let find: Statement
    let insert: Statement
    let remove: Statement
    let scan: Statement
    let generations: Statement
    let save: Statement

    static let findSQL = "SELECT position FROM key_hash WHERE generation = ?1 AND hash = ?2"

    init(_ database: Database, lookUps: Database) throws {
        find = try lookUps.prepare(KeyStatements.findSQL)
        // A merge that was cut short is written again.
        insert = try database.prepare(
            "INSERT OR IGNORE INTO key_hash (generation, hash, position) VALUES (?1, ?2, ?3)")
        remove = try database.prepare("DELETE FROM key_hash WHERE generation = ?1 AND hash = ?2 AND position = ?3")
        scan = try database.prepare("SELECT hash FROM key_hash WHERE generation = ?1")
        generations = try database.prepare(
            "SELECT number, keys, up_to, filter, checksum FROM key_generation ORDER BY number")
        save = try database.prepare(
            """
            INSERT OR REPLACE INTO key_generation (number, keys, up_to, filter, checksum) VALUES (?1, ?2, ?3, ?4, ?5)
            """)
    }
}
