/// Excludes hashes that one generation of the key index certainly doesn't hold. A Bloom filter with eight bits for each
/// hash, all within 32 bytes, so that a question costs one memory access. Its size is fixed from the start, so its
/// error rate doesn't depend on the number of generations. A value.
struct KeyFilter {
    /// With this many bits for each key, a full filter is wrong for about one hash in 6,000 (measured in
    /// KeyFilterTests): each time, all parts of a generation are read.
    static let bitsPerKey = 24

    private var groups: [SIMD4<UInt64>]

    /// Creates a filter for at most this many keys.
    init(keys: Int) {
        groups = [SIMD4<UInt64>](repeating: .zero, count: max(1, keys * KeyFilter.bitsPerKey / 256))
    }

    /// Reads a stored filter; nil if the bytes aren't a filter.
    init?(bytes: UnsafeRawBufferPointer) {
        let size = MemoryLayout<SIMD4<UInt64>>.size
        guard bytes.count >= size, bytes.count % size == 0 else { return nil }
        groups = (0..<bytes.count / size).map {
            bytes.loadUnaligned(fromByteOffset: $0 * size, as: SIMD4<UInt64>.self)
        }
    }

    /// Bytes in memory.
    var byteCount: Int { groups.count * MemoryLayout<SIMD4<UInt64>>.size }

    /// The filter in its stored form. It uses the machine's byte order, which is allowed for a derived table.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try groups.withUnsafeBytes(body)
    }

    /// Whether the generation may hold this hash. False is certain.
    func mayHold(_ hash: UInt64) -> Bool {
        let mask = KeyFilter.mask(hash)
        return groups[group(hash)] & mask == mask
    }

    mutating func add(_ hash: UInt64) {
        groups[group(hash)] |= KeyFilter.mask(hash)
    }

    // Spreads the low 28 bits evenly over all groups.
    private func group(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: ((hash & 0xfff_ffff) &* UInt64(truncatingIfNeeded: groups.count)) >> 28)
    }

    // Eight times six bits. The group and the mask need more bits than a hash has, so these come from its product with
    // an odd constant, the golden ratio.
    private static func mask(_ hash: UInt64) -> SIMD4<UInt64> {
        let bits = hash &* 0x9E37_79B9_7F4A_7C15
        return SIMD4(
            1 << (bits >> 58) | 1 << (bits >> 34 & 63), 1 << (bits >> 52 & 63) | 1 << (bits >> 28 & 63),
            1 << (bits >> 46 & 63) | 1 << (bits >> 22 & 63), 1 << (bits >> 40 & 63) | 1 << (bits >> 16 & 63))
    }
}
