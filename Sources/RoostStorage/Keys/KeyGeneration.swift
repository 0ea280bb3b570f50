/// About two million keys of the key index, from neighbouring rows. It consists of parts, one from each merge, which
/// are written once and never changed. Only the newest generation gets more parts. A value.
struct KeyGeneration {
    /// A higher number of parts can only be damage.
    static let partsMax: Int64 = 1 << 16

    let number: Int64
    var parts: Int64 = 0
    var keys = 0
    /// The position of its last row; for the newest generation, the last row so far.
    var upTo: Int64
    /// That of the newest generation also covers the keys that are only in memory.
    var filter: KeyFilter
    /// The filter was made from blocks of which some are damaged, so it may deny what is there and isn't asked.
    var isDoubtful = false

    /// Whether the generation may hold this hash. False is certain.
    func mayHold(_ hash: UInt64) -> Bool { isDoubtful || filter.mayHold(hash) }

    /// Sets the answer for each hash that the generation may hold.
    func mark(_ hashes: [UInt64], in answers: inout [Bool]) {
        for (index, hash) in hashes.enumerated() where mayHold(hash) { answers[index] = true }
    }
}

/// The key index's prepared statements.
struct KeyStatements {
    let find: Statement
    let insert: Statement
    let removePart: Statement
    let scan: Statement
    let generations: Statement
    let save: Statement

    static let findSQL = """
        SELECT hash, checksum, keys FROM key_block WHERE generation = ?1 AND part = ?2 AND hash <= ?3
        ORDER BY hash DESC, position DESC
        """

    init(_ database: Database, lookUps: Database) throws {
        find = try lookUps.prepare(KeyStatements.findSQL)
        insert = try database.prepare(
            "INSERT INTO key_block (generation, part, hash, position, checksum, keys) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        removePart = try database.prepare("DELETE FROM key_block WHERE generation = ?1 AND part = ?2")
        scan = try database.prepare(KeyBlock.scanSQL)
        generations = try database.prepare(
            "SELECT number, parts, keys, up_to, filter, checksum FROM key_generation ORDER BY number")
        save = try database.prepare(
            """
            INSERT OR REPLACE INTO key_generation (number, parts, keys, up_to, filter, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
    }
}
