/// Up to 64 neighbouring keys of one part of the key index, as one row of its table: pairs of hash and position,
/// sixteen bytes each, in the byte order of the machine, which is allowed for a derived table. A block costs as much to
/// write as a row for one key would.
enum KeyBlock {
    /// The most keys of a block: with 64, it is a kilobyte, and seven of them fit into a page.
    static let keysMax = 64

    /// The blocks of a generation's parts, as `entries` reads them.
    static let scanSQL = """
        SELECT part, checksum, keys, hash, position FROM key_block WHERE generation = ?1 AND part <= ?2
        """

    /// The keys of the row that a scan is at, valid until its next step; nil if the block isn't what was written.
    /// Look-ups find a block by its first key, so that is checked as well.
    static func entries(of row: Statement, generation: Int64) -> KeyEntries? {
        let bytes = row.bytes(2)
        var entries = KeyEntries(bytes)
        let first = entries.next()
        guard row.int64(1) == checksum(generation: generation, part: row.int64(0), bytes: bytes),
            first?.storedHash == row.int64(3), first?.position == row.int64(4)
        else { return nil }
        return KeyEntries(bytes)
    }

    /// The checksum of a block; where it belongs is part of it.
    static func checksum(generation: Int64, part: Int64, bytes: UnsafeRawBufferPointer) -> Int64 {
        var checksum = Checksum()
        checksum.add(UInt64(bitPattern: generation))
        checksum.add(UInt64(bitPattern: part))
        checksum.add(bytes)
        return Int64(checksum.value)
    }
}

/// Reads the keys of a block. Borrows its bytes.
struct KeyEntries: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> KeyEntry? {
        guard offset &+ MemoryLayout<KeyEntry>.size <= bytes.count else { return nil }
        defer { offset &+= MemoryLayout<KeyEntry>.size }
        return bytes.loadUnaligned(fromByteOffset: offset, as: KeyEntry.self)
    }
}
