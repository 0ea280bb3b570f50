import JWTKit

/// A key for checking tokens, bound to one algorithm (RFC 8725, section 3.1).
///
/// Public keys come only from files, and a shared secret only from a `SigningKey`. So the bytes of a public key are
/// never used as a shared secret. Immutable.
public struct VerificationKey: Sendable {
    /// The algorithm of a key. The raw value is the `alg` of RFC 7518, section 3.1 and RFC 8037, section 3.1.
    enum Algorithm: String, Sendable {
        case hs256 = "HS256"
        case rs256 = "RS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"
    }

    enum Material: Sendable {
        case shared(SigningKey)
        case rsa(Insecure.RSA.PublicKey)
        case p256(ES256PublicKey)
        case ed25519(EdDSA.PublicKey)
    }

    let material: Material
    /// The `kid` of a JWK. A key from a PEM file and the relay's own key have none.
    let keyIdentifier: String?

    init(_ material: Material, keyIdentifier: String? = nil) {
        self.material = material
        self.keyIdentifier = keyIdentifier
    }

    /// The relay's own key: HS256.
    public init(_ key: SigningKey) {
        self.init(.shared(key))
    }

    var algorithm: Algorithm {
        switch material {
        case .shared: .hs256
        case .rsa: .rs256
        case .p256: .es256
        case .ed25519: .edDSA
        }
    }

    /// Returns a collection of this key alone.
    func signer() async -> JWTKeyCollection {
        let collection = JWTKeyCollection()
        switch material {
        case .shared(let key): await collection.add(hmac: HMACKey(from: key.secret), digestAlgorithm: .sha256)
        case .rsa(let key): await collection.add(rsa: key, digestAlgorithm: .sha256)
        case .p256(let key): await collection.add(ecdsa: key)
        case .ed25519(let key): await collection.add(eddsa: key)
        }
        return collection
    }
}
