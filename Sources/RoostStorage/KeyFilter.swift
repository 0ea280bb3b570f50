/// Which hashes the key index surely doesn't hold: one bit per hash value modulo the size. Nearly every key is new, and
/// a look-up in the index takes longer than all else that an append needs. It is filled again after each start, in the
/// order of hashes and a slice at a time, and speaks only for what it has covered. Confined to the writer's thread.
struct KeyFilter {
    /// Bits at first, 256 KiB, and at most, 16 MiB. At sixteen bits a key one look-up in sixteen goes to the index in
    /// vain; from eight million keys on it is more, and half of them with ninety million.
    static let bitsAtFirst = 1 << 21
    static let bitsAtMost = 1 << 27
    private static let bitsPerKey = 16

    private var words: [UInt64]
    private var keys = 0
    /// The first hash that isn't covered; nil when all are.
    private(set) var next: Int64? = .min

    init(bits: Int = bitsAtFirst) {
        words = [UInt64](repeating: 0, count: max(1, bits / 64))
    }

    /// Whether the index may hold this hash. False is certain.
    func mayHold(_ hash: UInt64) -> Bool {
        if let next, Int64(bitPattern: hash) >= next { return true }
        return words[word(hash)] & (1 << (hash & 63)) != 0
    }

    /// The index holds this hash, or will.
    mutating func add(_ hash: UInt64) {
        words[word(hash)] |= 1 << (hash & 63)
        keys += 1
    }

    /// Every hash up to this one that the index holds was added.
    mutating func cover(upTo hash: Int64) {
        next = hash == .max ? nil : hash + 1
    }

    /// All that the index holds was added.
    mutating func coverAll() {
        next = nil
    }

    /// If there are too many keys for the size, begins anew with a larger one.
    mutating func growIfCrowded() {
        let bits = words.count * 64
        guard keys > bits / KeyFilter.bitsPerKey, bits < KeyFilter.bitsAtMost else { return }
        var larger = bits
        while keys > larger / KeyFilter.bitsPerKey, larger < KeyFilter.bitsAtMost { larger *= 4 }
        self = KeyFilter(bits: min(larger, KeyFilter.bitsAtMost))
    }

    // The size is a power of two; the low six bits name the bit in the word.
    private func word(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: (hash >> 6) & UInt64(truncatingIfNeeded: words.count - 1))
    }
}
