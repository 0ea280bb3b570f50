/// The relay's own secret (HS256). It signs the tokens that `roost token` creates, and checks them.
///
/// It never shows the secret, not even in a dump. Immutable.
public struct SigningKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Bytes of a new secret: as many as the hash has, the least that RFC 7518, section 3.2 allows.
    static let secretBytes = 32

    let secret: [UInt8]

    init(secret: [UInt8]) { self.secret = secret }

    /// Creates a secret with the system's random number generator.
    static func random() -> SigningKey {
        var generator = SystemRandomNumberGenerator()
        return SigningKey(secret: (0..<secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// A placeholder that doesn't show the key.
    public var description: String { "SigningKey(not shown)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// An empty mirror, so that a dump shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
