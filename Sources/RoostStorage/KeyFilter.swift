/// Which hashes the key index surely doesn't hold: Bloom filters of six bits a hash, in four words side by side, so
/// that a question costs one look into memory. Nearly every key is new, and a look-up in the index takes longer than
/// all else that an append needs. It is filled again after each start, in the order of hashes and a slice at a time,
/// and speaks only for what it has covered. Confined to the writer's thread.
struct KeyFilter {
    /// Bits of a part: 1 MiB, 8 MiB, and at most 16 MiB. A part that has a key for every 24 bits is followed by a
    /// larger one, never by one that would have to be filled anew. It errs for one hash in three thousand in each
    /// full part; the largest, which takes all the rest, for one in 1,200 with ten million keys and one in eight with
    /// thirty. Eight bits a hash would err less up to fourteen million, and more above.
    private static let bitsAtFirst = 1 << 23
    private static let bitsAtMost = 1 << 27
    private static let bitsPerKey = 24
    private static let growth = 8

    private struct Part {
        /// Aligned to 32 bytes, so that none lies across two lines of the cache.
        var groups: [SIMD4<UInt64>]
        var keys = 0

        init(bits: Int) { groups = [SIMD4<UInt64>](repeating: .zero, count: bits / 256) }

        var bits: Int { groups.count * 256 }

        // The number of groups is a power of two.
        func group(_ hash: UInt64) -> Int {
            Int(truncatingIfNeeded: hash) & (groups.count - 1)
        }
    }

    private var parts: [Part]
    /// The lowest hash that isn't covered; nil when all are.
    private(set) var next: UInt64? = 0

    /// Sized for so many keys, and those that come.
    init(keys: Int = 0) {
        var bits = KeyFilter.bitsAtFirst
        while bits < KeyFilter.bitsAtMost, keys > bits / KeyFilter.bitsPerKey { bits *= KeyFilter.growth }
        parts = [Part(bits: min(bits, KeyFilter.bitsAtMost))]
    }

    /// Whether the index may hold this hash. False is certain.
    func mayHold(_ hash: UInt64) -> Bool {
        if let next, hash >= next { return true }
        let mask = KeyFilter.mask(hash)
        return parts.contains { $0.groups[$0.group(hash)] & mask == mask }
    }

    /// The index holds this hash, or will.
    mutating func add(_ hash: UInt64) {
        var last = parts.count - 1
        let bits = parts[last].bits
        if parts[last].keys >= bits / KeyFilter.bitsPerKey, bits < KeyFilter.bitsAtMost {
            parts.append(Part(bits: min(bits * KeyFilter.growth, KeyFilter.bitsAtMost)))
            last += 1
        }
        parts[last].keys += 1
        parts[last].groups[parts[last].group(hash)] |= KeyFilter.mask(hash)
    }

    /// Every hash below this one that the index holds was added; nil: all were.
    mutating func cover(below hash: UInt64?) {
        next = hash
    }

    // The high bits; the low ones name the group.
    private static func mask(_ hash: UInt64) -> SIMD4<UInt64> {
        SIMD4(
            1 << (hash >> 58) | 1 << (hash >> 34 & 63), 1 << (hash >> 52 & 63) | 1 << (hash >> 28 & 63),
            1 << (hash >> 46 & 63), 1 << (hash >> 40 & 63))
    }
}
