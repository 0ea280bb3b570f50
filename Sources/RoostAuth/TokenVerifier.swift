import JWTKit

/// Checks the tokens of `hello` and `refresh` with the relay's keys.
///
/// It owns the keys. Each is bound to one algorithm; a token's header only selects among them. Immutable, so any thread
/// may use it. Checks run on Swift's concurrency pool, never on the loop. It reads no clock and fetches nothing.
public struct TokenVerifier: Sendable {
    /// Most bytes of a token. Real ones take 150–2,000; the limit bounds the work that an unauthenticated client can
    /// cause.
    public static let tokenBytesMax = 8_192
    /// Most keys. A token without `kid` costs one signature check for each key of its algorithm.
    public static let keysMax = 32

    struct Entry: Sendable {
        let algorithm: VerificationKey.Algorithm
        let keyIdentifier: String?
        /// A collection of this key alone. JWTKit would choose among several keys by `kid` alone, whatever their `alg`.
        let signer: JWTKeyCollection
    }

    let entries: [Entry]
    let audience: String?
    let issuer: String?

    /// Prepares the keys. If `audience` or `issuer` is set, tokens must have exactly that `aud` or `iss`.
    public init(keys: [VerificationKey], audience: String?, issuer: String?) async throws(KeyFailure) {
        guard !keys.isEmpty else { throw KeyFailure("there is no key to check tokens with") }
        guard keys.count <= Self.keysMax else {
            throw KeyFailure("there are \(keys.count) keys to check tokens with; at most \(Self.keysMax) are allowed")
        }
        var entries: [Entry] = []
        for key in keys {
            entries.append(
                Entry(algorithm: key.algorithm, keyIdentifier: key.keyIdentifier, signer: await key.signer())
            )
        }
        self.entries = entries
        self.audience = audience
        self.issuer = issuer
    }
}
