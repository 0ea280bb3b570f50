/// Which hashes one generation of the key index surely doesn't hold: a Bloom filter of six bits a hash, all in 32 bytes
/// side by side, so that a question costs one look into memory. It has its size from the beginning and never grows; so
/// the share of errors is the same however many generations there are. A value.
struct KeyFilter {
    /// With so many bits a key it errs for about one hash in 1,500 when it is full (measured in KeyFilterTests).
    static let bitsPerKey = 20

    private var groups: [SIMD4<UInt64>]

    /// For so many keys at most.
    init(keys: Int) {
        groups = [SIMD4<UInt64>](repeating: .zero, count: max(1, keys * KeyFilter.bitsPerKey / 256))
    }

    /// As it was stored; nil if the bytes aren't those of a filter.
    init?(bytes: UnsafeRawBufferPointer) {
        let size = MemoryLayout<SIMD4<UInt64>>.size
        guard bytes.count >= size, bytes.count % size == 0 else { return nil }
        groups = (0..<bytes.count / size).map {
            bytes.loadUnaligned(fromByteOffset: $0 * size, as: SIMD4<UInt64>.self)
        }
    }

    /// Bytes in memory.
    var byteCount: Int { groups.count * MemoryLayout<SIMD4<UInt64>>.size }

    /// The filter as it is stored: in the order of the machine's bytes, as a derived table may be.
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

    // The low 28 bits, which the mask doesn't use, spread evenly over all groups.
    private func group(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: ((hash & 0xfff_ffff) &* UInt64(truncatingIfNeeded: groups.count)) >> 28)
    }

    // Six times six bits from the top.
    private static func mask(_ hash: UInt64) -> SIMD4<UInt64> {
        SIMD4(
            1 << (hash >> 58) | 1 << (hash >> 34 & 63), 1 << (hash >> 52 & 63) | 1 << (hash >> 28 & 63),
            1 << (hash >> 46 & 63), 1 << (hash >> 40 & 63))
    }
}
