import FoundationEssentials

/// The members of a token's JOSE header that Roost uses: `alg`, `kid` and `crit` (RFC 7515, section 4.1).
///
/// Roost ignores key material and addresses of key material (`jwk`, `jku`, `x5c`, `x5u`), so a token can't bring its
/// own key. We don't use JWTKit's `JWTHeader`, because it converts every number to an `Int` and traps on 1e300.
struct TokenHeader {
    let algorithm: String
    let keyIdentifier: String?

    /// Accepts only a token of three non-empty parts in canonical base64url, so that every later decoder sees the same
    /// bytes.
    init(ofToken token: String) throws(TokenFailure) {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let first = parts.first else { throw .malformed }
        for part in parts {
            guard !part.isEmpty, Base64URL.decode(Substring(part)) != nil else { throw .malformed }
        }
        guard let bytes = Base64URL.decode(Substring(first)),
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(bytes))
        else { throw .malformed }
        // RFC 7515, section 4.1.11: a recipient must understand every extension listed in `crit`. Roost understands
        // none.
        guard !fields.isCritical else { throw .unsupportedExtension }
        algorithm = fields.algorithm
        keyIdentifier = fields.keyIdentifier
    }

    private struct Fields: Decodable {
        let algorithm: String
        let keyIdentifier: String?
        let isCritical: Bool

        enum CodingKeys: String, CodingKey {
            case alg, kid, crit
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            algorithm = try container.decode(String.self, forKey: .alg)
            keyIdentifier = try container.decodeIfPresent(String.self, forKey: .kid)
            isCritical = container.contains(.crit)
        }
    }
}
