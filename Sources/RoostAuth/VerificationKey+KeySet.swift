import FoundationEssentials
import JWTKit

extension VerificationKey {
    /// Returns the usable keys of a JWK set. A key's algorithm and use come from the set (`alg`, `use`), never from a
    /// token.
    static func keys(ofSet bytes: [UInt8], path: String) throws(KeyFailure) -> [VerificationKey] {
        guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(bytes)) else {
            throw KeyFailure("\(path): not a JWK set; expected a JSON object with a list \"keys\"")
        }
        var keys: [VerificationKey] = []
        for (index, member) in set.keys.enumerated() {
            guard !member.isSecret else {
                throw KeyFailure("\(path): key \(index + 1) is private or symmetric; only public keys are allowed")
            }
            // RFC 7517, section 5: ignore keys of an unknown type or use.
            guard member.isForSignatures, let name = member.algorithmName else { continue }
            guard let key = member.key(for: name) else {
                throw KeyFailure("\(path): key \(index + 1) is not a valid key for \(name.rawValue)")
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw KeyFailure("\(path): the set has no key for RS256, ES256 or EdDSA") }
        return keys
    }

    private struct KeySet: Decodable {
        let keys: [Member]
    }

    /// One JWK (RFC 7517, section 4; RFC 7518, section 6; RFC 8037, section 2).
    private struct Member: Decodable {
        let kty: String
        let use: String?
        let alg: String?
        let kid: String?
        let crv: String?
        let n: String?
        let e: String?
        let x: String?
        let y: String?
        let d: String?
        let k: String?

        var isSecret: Bool { kty == "oct" || d != nil || k != nil }
        var isForSignatures: Bool { use == nil || use == "sig" }

        /// The key's algorithm; nil if it is none of the three that Roost accepts.
        var algorithmName: Algorithm? {
            switch (kty, crv, alg) {
            case ("RSA", _, nil), ("RSA", _, "RS256"): .rs256
            case ("EC", "P-256", nil), ("EC", "P-256", "ES256"): .es256
            case ("OKP", "Ed25519", nil), ("OKP", "Ed25519", "EdDSA"): .edDSA
            default: nil
            }
        }

        func key(for algorithm: Algorithm) -> VerificationKey? {
            switch algorithm {
            case .hs256: return nil
            case .rs256:
                guard let n, let e, let key = try? Insecure.RSA.PublicKey(modulus: n, exponent: e) else { return nil }
                return VerificationKey(.rsa(key), keyIdentifier: kid)
            case .es256:
                guard let x, let y, let key = try? ES256PublicKey(parameters: (x: x, y: y)) else { return nil }
                return VerificationKey(.p256(key), keyIdentifier: kid)
            case .edDSA:
                guard let x, let key = try? EdDSA.PublicKey(x: x, curve: .ed25519) else { return nil }
                return VerificationKey(.ed25519(key), keyIdentifier: kid)
            }
        }
    }
}
