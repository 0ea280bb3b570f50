import Crypto
import CryptoExtras
import Foundation
import RoostAuth
import RoostWire

/// A public key of an issuer. Its type says which algorithm it is for, and nothing else does: a key never becomes the
/// secret of an HMAC, whatever a token says (RFC 8725, sections 2.1 and 3.1). Immutable.
struct IssuerKey: Sendable {
    /// The algorithms that tokens may have (RFC 7518, section 3.1). Without `none`, and without shared secrets.
    enum Algorithm: String, Sendable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    private enum Material: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
    }

    /// Most bytes of a modulus: 8192 bits. Checking by a longer one would keep a core busy.
    private static let modulusBytes = 1_024
    /// Most bytes of a key's name. Google's have 40.
    private static let nameBytes = 256

    /// The key's name in its set.
    let kid: String
    private let material: Material

    /// Reads a JWK (RFC 7517, section 4); nil if it isn't for signatures that we check, or has no name.
    init?(_ jwk: JSONMembers) {
        guard let kid = jwk.string("kid"), (1...IssuerKey.nameBytes).contains(kid.utf8.count),
            jwk["use"] == nil || jwk.string("use") == "sig",
            jwk["key_ops"] == nil || jwk.strings("key_ops").contains("verify")
        else { return nil }
        let algorithm = jwk.string("alg")
        switch (jwk.string("kty"), jwk.string("crv")) {
        case ("RSA", _) where algorithm == nil || algorithm == Algorithm.rs256.rawValue:
            guard let n = IssuerKey.number(jwk, "n"), let e = IssuerKey.number(jwk, "e"),
                n.count <= IssuerKey.modulusBytes,
                // It refuses less than 2048 bits.
                let key = try? _RSA.Signing.PublicKey(n: n, e: e)
            else { return nil }
            material = .rsa(key)
        case ("EC", "P-256") where algorithm == nil || algorithm == Algorithm.es256.rawValue:
            guard let x = IssuerKey.number(jwk, "x"), let y = IssuerKey.number(jwk, "y"), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            material = .p256(key)
        default: return nil
        }
        self.kid = kid
    }

    private static func number(_ jwk: JSONMembers, _ name: String) -> [UInt8]? {
        jwk.string(name).flatMap { Base64URL.decode($0) }
    }

    /// The one algorithm that it is for.
    var algorithm: Algorithm {
        switch material {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    /// Whether the key's owner signed these bytes.
    func hasSigned(_ bytes: some DataProtocol, _ signature: [UInt8]) -> Bool {
        switch material {
        case .rsa(let key):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: bytes, padding: .insecurePKCS1v1_5)
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: bytes)
            } ?? false
        }
    }

    /// The keys of a set (RFC 7517, section 5) that we can use; nil if it is no set. Others in it are left out.
    static func keys(ofSet bytes: [UInt8], most: Int) -> [IssuerKey]? {
        guard let set = bytes.withUnsafeBytes({ JSONMembers(parsing: $0) }), let members = set.objects("keys") else {
            return nil
        }
        return members.prefix(most).compactMap { IssuerKey($0) }
    }
}
