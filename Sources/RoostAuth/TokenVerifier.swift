import JWTKit

/// Checks the tokens of `hello` and `refresh` with the relay's keys.
///
/// It owns the keys, each bound to one algorithm: what a token's header says only selects among them. Immutable, so any
/// thread may use it; checks run on the concurrency pool, never on the loop. It reads no clock and fetches nothing.
public struct TokenVerifier: Sendable {
    /// Bytes of a token. Real ones take 150–2,000; the limit bounds the work that somebody unknown can ask for.
    public static let tokenBytesMax = 8_192
    /// Keys at most: a token without `kid` costs one check of a signature per key of its algorithm.
    public static let keysMax = 32

    struct Entry: Sendable {
        let algorithm: VerificationKey.Algorithm
        let keyIdentifier: String?
        /// Holds this one key, as its default: a collection of several would pick by `kid` alone, whatever the `alg`.
        let signer: JWTKeyCollection
    }

    let entries: [Entry]
    let audience: String?
    let issuer: String?

    /// Prepares the keys. With `audience` or `issuer` set, tokens have to carry exactly that `aud` or `iss`.
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
