import RoostNames
import RoostWire

/// The forms of Docs/Protocol.md, section 2, checked on borrowed bytes without allocating.
extension Text {
    /// Whether it has at least one byte and at most `most`.
    func hasBytes(atMost most: Int) -> Bool { count >= 1 && count <= most }

    /// Whether it is a name: printable ASCII without space, `"` and `\`. A name needs no escape anywhere.
    func isName(atMost nameBytes: Int) -> Bool {
        guard hasBytes(atMost: nameBytes), let start = bytes.baseAddress else { return false }
        guard count >= 8 else {
            for byte in bytes where byte < 0x21 || byte > 0x7E || byte == 0x22 || byte == 0x5C { return false }
            return true
        }
        var faults: UInt64 = 0
        var at = 0
        while at < count - 8 {
            faults |= Text.faults((start + at).loadUnaligned(as: UInt64.self))
            at += 8
        }
        // The last eight bytes; some of them are checked twice.
        faults |= Text.faults((start + (count - 8)).loadUnaligned(as: UInt64.self))
        return faults & 0x8080_8080_8080_8080 == 0
    }

    // Sets the highest bit of some byte if one of the eight can't be in a name: a space, a control character, a
    // quotation mark, a backslash, DEL or a non-ASCII byte.
    @inline(__always)
    private static func faults(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = (word ^ (ones &* 0x22)) &- ones
        let slash = (word ^ (ones &* 0x5C)) &- ones
        let delete = (word ^ (ones &* 0x7F)) &- ones
        return word | (word &- (ones &* 0x21)) | quote | slash | delete
    }

    /// Whether it is the name of a user.
    func isUserName(atMost nameBytes: Int) -> Bool { isName(atMost: nameBytes) && bytes.first != UInt8(ascii: "@") }

    /// Whether it is the id of a conversation, or `@` and the name of a user.
    func isConversation(nameBytes: Int) -> Bool {
        guard bytes.first == UInt8(ascii: "@") else { return isName(atMost: nameBytes) }
        let user = Text(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        return user.isUserName(atMost: nameBytes)
    }

    /// Whether it is a kind of message or signal.
    func isKind(atMost kindBytes: Int) -> Bool {
        guard hasBytes(atMost: kindBytes) else { return false }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): continue
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): continue
            default: return false
            }
        }
        return true
    }

    /// Whether it is empty or shows nothing: white space, what renderers ignore, marks without a letter.
    var isBlank: Bool {
        if let first = bytes.first, (0x21...0x7E).contains(first) { return false }
        var iterator = bytes.makeIterator()
        var decoder = Unicode.UTF8()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            if NameForm.isVisible(scalar) { return false }
        }
        return true
    }

    /// Why it isn't accepted for this use; nil if it is. It isn't empty.
    func fault(as use: NameForm.Use) -> NameForm.Fault? { NameForm.fault(in: string.unicodeScalars, as: use) }

    /// Whether it has more Unicode scalars than `most`.
    func hasScalars(moreThan most: Int) -> Bool {
        // A scalar takes one to four bytes.
        guard count > most else { return false }
        guard count / 4 <= most else { return true }
        var scalars = 0
        // In UTF-8 (RFC 3629), every byte begins a scalar, except those of the form 10xxxxxx.
        for byte in bytes { scalars &+= byte & 0xC0 == 0x80 ? 0 : 1 }
        return scalars > most
    }

    /// The value of a position as `JSONWriter` writes it after the epoch: decimal, not negative, no leading zeros.
    /// Otherwise nil.
    var positionValue: Int64? {
        // 2^63 - 1 has 19 digits.
        guard (1...19).contains(count), count == 1 || bytes.first != UInt8(ascii: "0") else { return nil }
        var value: UInt64 = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
        }
        return Int64(exactly: value)
    }
}
