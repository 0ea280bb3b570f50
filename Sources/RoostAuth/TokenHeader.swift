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
        for (index, part) in parts.enumerated() {
            guard !part.isEmpty, let bytes = Base64URL.decode(Substring(part)) else { throw .malformed }
            // The signature is any bytes.
            guard index == 2 || TokenHeader.isUTF8(bytes) else { throw .malformed }
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

    /// Whether these bytes are UTF-8 without a byte order mark, as RFC 7519, section 7.2, and RFC 8259, section 8.1,
    /// demand. `JSONDecoder` would read UTF-16 and UTF-32 as well, in which every JSON text has a zero.
    private static func isUTF8(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.contains(0) && !bytes.starts(with: [0xEF, 0xBB, 0xBF]) && String(validating: bytes, as: UTF8.self) != nil
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
