import CChecksum

/// CRC-32C (Castagnoli; test values in RFC 3720, appendix B.4). It detects any damage within 32 consecutive bits. It
/// protects against failing disks, not against attackers. A value.
///
/// Uses the processor's instruction, or, where there is none, eight tables for eight bytes at a time ("slicing by 8").
struct Checksum {
    private var state: UInt32 = .max
    private let isInHardware: Bool

    /// Tests choose the tables; a store uses what is there.
    init(isInHardware: Bool = Checksum.hasInstruction) { self.isInHardware = isInHardware }

    static let hasInstruction = roost_crc32c_is_supported() != 0

    var value: UInt32 { ~state }

    /// The checksum of one piece.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = Checksum()
        checksum.add(bytes)
        return checksum.value
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        if isInHardware {
            state = roost_crc32c_bytes(state, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        } else {
            addByTables(bytes)
        }
    }

    /// Adds the eight bytes of a number, lowest first.
    mutating func add(_ word: UInt64) {
        if isInHardware {
            state = roost_crc32c_word(state, word)
        } else {
            state = Checksum.tables.withUnsafeBufferPointer { Checksum.step(state, word, $0) }
        }
    }

    // MARK: Tables

    private mutating func addByTables(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        Checksum.tables.withUnsafeBufferPointer { tables in
            var offset = 0
            while offset &+ 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                state = Checksum.step(state, word, tables)
                offset &+= 8
            }
            while offset < bytes.count {
                state = tables[Int(truncatingIfNeeded: (state ^ UInt32(bytes[offset])) & 0xff)] ^ state >> 8
                offset &+= 1
            }
        }
        self.state = state
    }

    @inline(__always)
    private static func step(_ state: UInt32, _ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        let mixed = word ^ UInt64(state)
        var result: UInt32 = 0
        for byte in 0..<8 {
            let index = Int(truncatingIfNeeded: mixed >> UInt64(truncatingIfNeeded: 8 &* byte) & 0xff)
            result ^= tables[(7 &- byte) &* 256 &+ index]
        }
        return result
    }

    /// Eight tables of 256 entries: the n-th is for a byte that is followed by n bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82f6_3b78 : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = tables[Int(before & 0xff)] ^ before >> 8
        }
        return tables
    }()
}
