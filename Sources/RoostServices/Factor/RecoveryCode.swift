/// A one-time substitute for an app's code: 50 random bits in Crockford's base 32. Only a keyed hash is kept, so that a
/// copy of the database alone is useless, even for guessing. A value.
struct RecoveryCode: Sendable, Equatable {
    /// Number of codes in a set.
    static let count = 10
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let length = 10

    // In its one form: lower case, without the hyphen.
    private let form: String

    /// A new one.
    init() {
        form = String(
            decoding: RandomName.bytes(RecoveryCode.length).map { RecoveryCode.digits[Int($0 & 31)] }, as: UTF8.self)
    }

    /// Reads typed text, without its spaces and hyphens; nil if it is no code. Letters that look like digits are these
    /// digits.
    init?(typed: String) {
        let alike: [Character: Character] = ["o": "0", "i": "1", "l": "1"]
        let text = String(typed.lowercased().map { alike[$0] ?? $0 })
        guard text.utf8.count == RecoveryCode.length, text.utf8.allSatisfy(RecoveryCode.digits.contains) else {
            return nil
        }
        form = text
    }

    /// The text for people: two halves.
    var text: String { "\(form.prefix(RecoveryCode.length / 2))-\(form.suffix(RecoveryCode.length / 2))" }

    /// The stored digest. It is valid for this user only.
    func digest(of user: String, _ keys: KeyRing) -> [UInt8] { keys.digest("recovery \(user) \(form)") }
}

/// The typed second step: the app's code, or a recovery code.
enum FactorCode: Sendable, Equatable {
    case totp(String)
    case recovery(RecoveryCode)

    /// Most bytes that are looked at: a recovery code with spaces all over.
    private static let bytesMax = 64

    /// - Throws: `invalid`, if it has the form of neither. That isn't a guess.
    init(_ text: String?) throws(ServiceFault) {
        guard let text else { throw .invalid("code", "is required") }
        let isShort = text.utf8.count <= FactorCode.bytesMax
        let typed = isShort ? text.filter { !$0.isWhitespace && $0 != "-" } : ""
        let isNumber = typed.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isNumber, typed.utf8.count == TOTP.digits {
            self = .totp(typed)
        } else if let code = RecoveryCode(typed: typed) {
            self = .recovery(code)
        } else {
            throw .invalid("code", "must be \(TOTP.digits) digits, or a recovery code")
        }
    }
}
