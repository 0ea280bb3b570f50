/// Reads one document token by token and refuses what RFC 8259 doesn't allow. It doesn't track nesting.
///
/// The document is followed by at least as many zero bytes as are read at once. No rule accepts a zero byte, so the
/// scanner never moves past the document and needs no comparison with its end.
struct JSONScanner {
    /// The form in which a string is written.
    enum Form {
        case plain, escaped
    }

    /// The next byte.
    var at: UnsafePointer<UInt8>

    @inline(__always)
    init(_ start: UnsafePointer<UInt8>) { at = start }

    /// The next byte.
    @inline(__always) var byte: UInt8 { at.pointee }

    /// Skips white space (section 2).
    @inline(__always)
    mutating func skipSpace() {
        while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    /// Skips this byte if it is next.
    @inline(__always)
    mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        at += 1
        return true
    }

    // MARK: Strings (section 7)

    /// Moves from an opening quotation mark to after the closing one; nil if it isn't a string.
    @inline(__always)
    mutating func string() -> Form? {
        at += 1
        let first = at
        var form = Form.plain
        var seen: UInt64 = 0
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
            let special = JSONScanner.special(word)
            guard special != 0 else {
                seen |= word
                at += 8
                skipPlain(&seen)
                continue
            }
            // The bytes before the special one.
            seen |= word & (special & (0 &- special) &- 1)
            at += special.trailingZeroBitCount >> 3
            guard byte != 0x22 else { break }
            guard byte == 0x5C, skipEscape() else { return nil }
            form = .escaped
        }
        if seen & 0x8080_8080_8080_8080 != 0 {
            guard UTF8Form.isValid(UnsafeRawBufferPointer(start: first, count: at - first)) else { return nil }
        }
        at += 1
        return form
    }

    // Moves on sixteen bytes at a time while none of them is special.
    @inline(__always)
    private mutating func skipPlain(_ seen: inout UInt64) {
        while true {
            let words = UnsafeRawPointer(at).loadUnaligned(as: SIMD2<UInt64>.self)
            let (one, other) = (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
            guard JSONScanner.special(one) | JSONScanner.special(other) == 0 else { return }
            seen |= one | other
            at += 16
        }
    }

    /// The highest bits of the bytes that end a string or need a closer look: `"`, `\` and control characters. Only the
    /// lowest bit that is set is certain, because a subtraction borrows from the bytes above.
    @inline(__always)
    private static func special(_ word: UInt64) -> UInt64 {
        let control = word &- 0x2020_2020_2020_2020
        let quote = (word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
        let slash = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
        return (control | quote | slash) & ~word & 0x8080_8080_8080_8080
    }

    // Skips an escape. A surrogate without its other half has no form in UTF-8 and is refused.
    @inline(never)
    private mutating func skipEscape() -> Bool {
        guard at[1] == UInt8(ascii: "u") else {
            guard JSONScanner.escaped(at[1]) != nil else { return false }
            at += 2
            return true
        }
        return scalar() != nil
    }

    /// The byte meant by the character after a backslash, except `u`.
    static func escaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x22, 0x5C, 0x2F: byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The scalar meant by `\uXXXX` or a pair of them. Moves past it.
    mutating func scalar() -> Unicode.Scalar? {
        guard let first = hex() else { return nil }
        guard first & 0xF800 == 0xD800 else { return Unicode.Scalar(first) }
        guard first < 0xDC00, byte == 0x5C, at[1] == UInt8(ascii: "u"), let second = hex(), second & 0xFC00 == 0xDC00
        else { return nil }
        return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10 | (second - 0xDC00)))
    }

    // The value of `\uXXXX`, whose first two bytes are known.
    mutating func hex() -> UInt32? {
        at += 2
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit = byte &- UInt8(ascii: "0")
            let letter = (byte | 0x20) &- UInt8(ascii: "a")
            guard digit < 10 || letter < 6 else { return nil }
            value = value << 4 | UInt32(digit < 10 ? digit : letter + 10)
            at += 1
        }
        return value
    }

    // MARK: Numbers and literals (sections 3 and 6)

    /// Skips a number. Gives its value, or nil if it has a fraction or exponent or doesn't fit an `Int64`.
    /// - Returns: nil if it isn't a number.
    @inline(__always)
    mutating func number() -> Int64?? {
        let isNegative = take(0x2D)
        let first = at
        var magnitude: UInt64 = 0
        while byte &- 0x30 < 10 {
            magnitude = magnitude &* 10 &+ UInt64(byte &- 0x30)
            at += 1
        }
        let count = at - first
        guard count == 1 || (count > 1 && first.pointee != 0x30) else { return nil }
        if byte == 0x2E || byte | 0x20 == 0x65 { return skipFraction() ? .some(nil) : nil }
        // A whole number of up to 19 digits fits a UInt64.
        guard count <= 19 else { return .some(nil) }
        if isNegative { return .some(magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil) }
        return .some(Int64(exactly: magnitude))
    }

    // Skips a fraction, an exponent, or both.
    @inline(never)
    private mutating func skipFraction() -> Bool {
        if take(0x2E), !skipDigits() { return false }
        guard byte | 0x20 == 0x65 else { return true }
        at += 1
        if byte == 0x2B || byte == 0x2D { at += 1 }
        return skipDigits()
    }

    private mutating func skipDigits() -> Bool {
        let first = at
        while byte &- 0x30 < 10 { at += 1 }
        return at > first
    }

    /// Skips `true`, `false` or `null`, whose first byte is known.
    @inline(__always)
    mutating func literal() -> JSONItem.Kind? {
        let word = UInt32(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt32.self))
        switch word {
        case 0x6575_7274:  // true
            at += 4
            return .true
        case 0x6C6C_756E:  // null
            at += 4
            return .null
        case 0x736C_6166 where at[4] == UInt8(ascii: "e"):  // fals
            at += 5
            return .false
        default: return nil
        }
    }
}
