/// Names that can't be guessed: 80 random bits in Crockford's base 32, in lower case (crockford.com/base32.html), which
/// has no letters that look alike.
enum RandomName {
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// A user's id. It is in the relay's log for ever, so it says nothing about a person.
    static func user() -> String { "u" + text() }

    /// The user's id derived from at least 16 unguessable bytes.
    static func user(_ bytes: [UInt8]) -> String {
        "u" + String(decoding: bytes.prefix(16).map { digits[Int($0 & 31)] }, as: UTF8.self)
    }

    /// The name of a device that didn't bring one.
    static func device() -> String { "d" + text() }

    /// The id of a session or a token.
    static func session() -> String { text() }

    private static func text() -> String {
        // Swift's own generator reads getrandom(2) on Linux.
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in digits[Int(generator.next() & 31)] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Random bytes.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    /// Whether it has the form of a session's id.
    static func isSession(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy(digits.contains)
    }
}
