import JWTKit

/// A key that tokens are checked with, bound for good to one algorithm (RFC 8725, section 3.1).
///
/// Public keys come from files, shared ones from a `SigningKey` only, so the bytes of a public key never serve as a
/// shared secret. Immutable.
public struct VerificationKey: Sendable {
    /// What a key may be used for; the raw value is the `alg` of RFC 7518, section 3.1 and RFC 8037, section 3.1.
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
    /// `kid` of a JWK. A PEM file and the relay's own key have none.
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

    /// A collection with this key alone.
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
