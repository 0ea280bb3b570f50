import RoostWire

/// SipHash-1-3 (Aumasson, Bernstein, "SipHash: a fast short-input PRF", 2012) of a sender and its key, with a secret
/// drawn once for each store. Clients choose the keys: without a secret, a client could make all its keys collide, and
/// every look-up would read all its rows. Collisions are still possible, so results must be compared with the log.
struct KeyHash {
    private let key0: UInt64
    private let key1: UInt64

    init(key0: UInt64, key1: UInt64) {
        self.key0 = key0
        self.key1 = key1
    }

    func callAsFunction(_ key: String, by sender: Int32) -> UInt64 {
        var key = key
        return key.withUTF8 { self(sender, UnsafeRawBufferPointer($0)) }
    }

    func callAsFunction(_ sender: Int32, _ key: UnsafeRawBufferPointer) -> UInt64 {
        var state = SipState(key0, key1)
        state.take(UInt64(UInt32(bitPattern: sender)))
        var offset = 0
        while offset + 8 <= key.count {
            state.take(UInt64(littleEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        // As in the paper, the last word contains the number of bytes; the sender counts as eight bytes.
        var last = UInt64(truncatingIfNeeded: key.count &+ 8) << 56
        var shift: UInt64 = 0
        while offset < key.count {
            last |= UInt64(key[offset]) << shift
            shift += 8
            offset += 1
        }
        state.take(last)
        return state.finish()
    }
}

private struct SipState {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key0: UInt64, _ key1: UInt64) {
        v0 = key0 ^ 0x736f_6d65_7073_6575
        v1 = key1 ^ 0x646f_7261_6e64_6f6d
        v2 = key0 ^ 0x6c79_6765_6e65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
    }

    mutating func take(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    mutating func finish() -> UInt64 {
        v2 ^= 0xff
        round()
        round()
        round()
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
        v0 &+= v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 &+= v3
        v3 = rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
    }

    private func rotated(_ word: UInt64, _ by: UInt64) -> UInt64 {
        word << by | word >> (64 - by)
    }
}
