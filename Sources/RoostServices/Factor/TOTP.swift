import Crypto
import Foundation

/// The codes of an authenticator app: RFC 6238 with SHA-1 and steps of 30 seconds, the one form that all such apps
/// know. Pure: the time is handed in.
enum TOTP {
    /// Seconds of a step (RFC 6238, section 4.1).
    static let period: Int64 = 30
    /// Steps before and after the present one whose code is taken, for a clock that is wrong and for the time that
    /// typing takes (section 5.2).
    static let skew: Int64 = 1
    /// Digits of a code.
    static let digits = 6
    /// Bytes of a secret: those of a SHA-1 (RFC 4226, section 4).
    static let secretBytes = 20

    /// The step that a time is in.
    static func step(at seconds: Int64) -> Int64 { max(0, seconds) / period }

    /// The code of a step (RFC 4226, section 5.3).
    static func code(_ secret: [UInt8], step: Int64, digits: Int = TOTP.digits) -> String {
        let counter = withUnsafeBytes(of: step.bigEndian) { Data($0) }
        let code = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int((code.last ?? 0) & 0xF)
        let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product &* 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// The step whose code this is, among those that may be taken now and come after the last one that was; nil if it
    /// is none of these. All are computed and compared whole, so that the time says nothing about a wrong code.
    static func step(of code: String, _ secret: [UInt8], now seconds: Int64, after last: Int64) -> Int64? {
        let present = step(at: seconds)
        var found: Int64?
        for step in (present - skew)...(present + skew) {
            let isEqual = isSame(code, self.code(secret, step: step))
            if isEqual, step > last { found = step }
        }
        return found
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(one.utf8, other.utf8) { difference |= one ^ other }
        return difference == 0
    }

    // MARK: For the app

    /// A secret in base 32 without padding (RFC 4648, section 6), as people type it.
    static func base32(_ secret: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (text, rest, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in secret {
            rest = rest << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(letters[Int(rest >> UInt32(bits) & 31)])
            }
        }
        if bits > 0 { text.append(letters[Int(rest << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Most bytes of an address below: what the small QR codes of Roost's own page hold.
    static let addressBytes = 106

    /// The text of a QR code for the app (github.com/google/google-authenticator/wiki/Key-Uri-Format). The account's
    /// name may be cut, so that it stays small.
    static func address(_ secret: [UInt8], of name: String) -> String {
        let head = "otpauth://totp/Roost:"
        let tail = "?secret=\(base32(secret))&issuer=Roost"
        var label = ""
        for character in name {
            let more = String(character).addingPercentEncoding(withAllowedCharacters: labelCharacters) ?? ""
            guard head.utf8.count + label.utf8.count + more.utf8.count + tail.utf8.count <= addressBytes else { break }
            label += more
        }
        return head + label + tail
    }

    // Those that need no percent sign in a part of a path (RFC 3986, section 3.3), without the colon, which ends the
    // issuer.
    private static let labelCharacters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~@")
}
