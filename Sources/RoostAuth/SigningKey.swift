/// The relay's own secret: signs the tokens that `roost token` makes, and checks them (HS256).
///
/// It holds the secret and never shows it, not even in a dump. Immutable.
public struct SigningKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Bytes of a new secret. RFC 7518, section 3.2: at least as many as the hash has.
    static let secretBytes = 32

    let secret: [UInt8]

    init(secret: [UInt8]) { self.secret = secret }

    /// A secret from the system's random number generator.
    static func random() -> SigningKey {
        var generator = SystemRandomNumberGenerator()
        return SigningKey(secret: (0..<secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Says that there is a key, not which.
    public var description: String { "SigningKey(not shown)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
