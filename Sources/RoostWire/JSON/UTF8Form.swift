/// Checks UTF-8 (RFC 3629, section 4). Stateless.
enum UTF8Form {
    // The highest bit of each byte, which plain ASCII doesn't have.
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Whether all of the bytes are UTF-8.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        var at = 0
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: (start + at).loadUnaligned(as: UInt64.self))
            if word & highs == 0 {
                at += 8
                continue
            }
            let count = shortForms(word) ?? longForms(start + at, bytes.count - at)
            guard count > 0 else { return false }
            at += count
        }
        return isValidEnd(start + at, bytes.count - at)
    }

    // How many bytes to move on if the word holds only scalars of one or two bytes: eight, or seven if the last byte
    // begins a scalar; 0 if something is wrong; nil if there is a longer scalar.
    @inline(__always)
    private static func shortForms(_ word: UInt64) -> Int? {
        // 11xxxxxx begins a scalar, 10xxxxxx continues one; the bits are moved to the highest place of their byte.
        let second = word << 1
        let begins = word & second & highs
        guard begins & (word << 2) == 0 else { return nil }
        let continues = word & ~second & highs
        // The values below U+0080 don't take two bytes: 1100000x.
        let isLongEnough = (word & 0x1E1E_1E1E_1E1E_1E1E) &+ 0x7E7E_7E7E_7E7E_7E7E
        guard continues == begins << 8, begins & ~isLongEnough == 0 else { return 0 }
        return begins >> 63 == 0 ? 8 : 7
    }

    // The length of the scalars of three and four bytes here, as long as four bytes may be read; 0 if one is wrong.
    @inline(__always)
    private static func longForms(_ start: UnsafeRawPointer, _ room: Int) -> Int {
        var at = 0
        while at + 4 <= room {
            let word = UInt32(littleEndian: (start + at).loadUnaligned(as: UInt32.self))
            // Between scalars of one language there is often a space.
            guard word & 0x80 != 0 else {
                if at > 0, word & 0x8000 == 0 { return at }
                at += 1
                continue
            }
            let count = count(word)
            guard count > 0 else { return 0 }
            at += count
        }
        return at
    }

    // The length of the non-ASCII scalar that starts at the lowest byte: 2 to 4, or 0 if it is wrong.
    @inline(__always)
    private static func count(_ word: UInt32) -> Int {
        // The lowest byte comes first. 1110xxxx marks a sequence of three.
        if word & 0xC0_C0F0 == 0x80_80E0 {
            // Values below U+0800 don't take three bytes; U+D800 to U+DFFF are surrogates.
            let high = word & 0x200F
            return high != 0 && high != 0x200D ? 3 : 0
        }
        if word & 0xC0E0 == 0x80C0 { return word & 0x1E != 0 ? 2 : 0 }
        if word & 0xC0C0_C0F8 == 0x8080_80F0 {
            // Values below U+10000 don't take four bytes; nothing is above U+10FFFF.
            let high = word & 0x3007
            return high != 0 && (high & 4 == 0 || high & 0x3003 == 0) ? 4 : 0
        }
        return 0
    }

    // Checks the last bytes, fewer than eight: the word is filled with zeros, which can't continue a scalar.
    private static func isValidEnd(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
        var at = 0
        while at < count {
            var word: UInt32 = 0
            for index in 0..<min(count - at, 4) {
                word |= UInt32(start.load(fromByteOffset: at + index, as: UInt8.self)) << (8 * UInt32(index))
            }
            let length = word & 0x80 == 0 ? 1 : self.count(word)
            guard length > 0 else { return false }
            at += length
        }
        return true
    }
}
