import RoostWire

/// The user named in a token. The relay alone verifies tokens; this notices a mistake of the app before `hello`, which
/// contains a position and so would ack for another user (Docs/Clients.md, "Pitfalls").
enum TokenUser {
    /// The subject of a JWT; nil if it is another kind of token, or has none.
    static func of(_ token: String) -> String? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = decoded(parts[1]) else { return nil }
        return payload.withUnsafeBytes { JSONMembers(parsing: $0) }?.string("sub")
    }

    // Base64url without padding (RFC 7515, section 2).
    private static func decoded(_ text: Substring.UTF8View) -> [UInt8]? {
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        for letter in text {
            let value: UInt8
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter - UInt8(ascii: "0") + 52
            case UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "_"): value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
