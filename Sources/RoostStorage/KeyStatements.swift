/// What the key index says to SQLite, prepared once.
struct KeyStatements {
    let runs: Statement
    let block: Statement
    let blocks: Statement
    let insertBlock: Statement
    let deleteBlocks: Statement
    let saveRun: Statement
    let deleteRun: Statement

    static let blockSQL = "SELECT keys FROM key_block WHERE number = ?1"
    static let blocksSQL = "SELECT keys FROM key_block WHERE number >= ?1 AND number < ?2"

    init(_ database: Database) throws {
        runs = try database.prepare("SELECT first_block, bits, keys, target, moved FROM key_run ORDER BY first_block")
        block = try database.prepare(KeyStatements.blockSQL)
        blocks = try database.prepare(KeyStatements.blocksSQL)
        insertBlock = try database.prepare("INSERT INTO key_block (number, keys) VALUES (?1, ?2)")
        deleteBlocks = try database.prepare("DELETE FROM key_block WHERE number >= ?1 AND number < ?2")
        saveRun = try database.prepare(
            "INSERT OR REPLACE INTO key_run (first_block, bits, keys, target, moved) VALUES (?1, ?2, ?3, ?4, ?5)")
        deleteRun = try database.prepare("DELETE FROM key_run WHERE first_block = ?1")
    }
}

/// The keys of one block, sixteen bytes each, in no order, as the machine has them in memory. Lends bytes; valid as
/// long as they are.
struct KeyBlock: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> KeyEntry? {
        let stride = MemoryLayout<KeyEntry>.stride
        guard bytes.count - offset >= stride else { return nil }
        defer { offset += stride }
        return bytes.loadUnaligned(fromByteOffset: offset, as: KeyEntry.self)
    }
}
