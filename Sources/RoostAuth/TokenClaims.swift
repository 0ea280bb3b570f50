import JWTKit
import RoostWire

/// The claims that Roost reads and writes (RFC 7519, section 4.1, `scope`, `sid` and `device`).
///
/// Decoding never fails on a claim of the wrong type. It becomes `.wrong`, so that the failure can name the claim.
/// We don't use JWTKit's own claim types, because `AudienceClaim` traps on an empty list.
struct TokenClaims: JWTPayload {
    enum Claim<Value: Codable & Sendable>: Sendable {
        case absent, wrong
        case present(Value)
    }

    var subject: Claim<String> = .absent
    var device: Claim<String> = .absent
    /// The sign-in (OpenID Connect Front-Channel Logout 1.0, section 3).
    var signIn: Claim<String> = .absent
    var expires: Claim<Double> = .absent
    var notBefore: Claim<Double> = .absent
    var issuedAt: Claim<Double> = .absent
    var issuer: Claim<String> = .absent
    var audience: Claim<[String]> = .absent
    /// Words with spaces between them (RFC 8693, section 4.2).
    var scope: Claim<String> = .absent

    private enum CodingKeys: String, CodingKey {
        case sub, device, sid, exp, nbf, iat, iss, aud, scope
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        subject = Self.claim(.sub, in: container)
        device = Self.claim(.device, in: container)
        signIn = Self.claim(.sid, in: container)
        expires = Self.claim(.exp, in: container)
        notBefore = Self.claim(.nbf, in: container)
        issuedAt = Self.claim(.iat, in: container)
        issuer = Self.claim(.iss, in: container)
        scope = Self.claim(.scope, in: container)
        // RFC 7519, section 4.1.3: a list, or a single string.
        audience = Self.claim(.aud, in: container)
        if case .wrong = audience, case .present(let only) = Self.claim(.aud, in: container) as Claim<String> {
            audience = .present([only])
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if case .present(let name) = subject { try container.encode(name, forKey: .sub) }
        if case .present(let name) = device { try container.encode(name, forKey: .device) }
        if case .present(let name) = signIn { try container.encode(name, forKey: .sid) }
        if case .present(let seconds) = expires { try container.encode(seconds, forKey: .exp) }
        if case .present(let seconds) = notBefore { try container.encode(seconds, forKey: .nbf) }
        if case .present(let seconds) = issuedAt { try container.encode(seconds, forKey: .iat) }
        if case .present(let words) = scope { try container.encode(words, forKey: .scope) }
        if case .present(let name) = issuer { try container.encode(name, forKey: .iss) }
        if case .present(let names) = audience { try container.encode(names, forKey: .aud) }
    }

    /// JWTKit calls this after it has verified the signature. It does nothing, because the time is not known here;
    /// `grant` checks the claims afterwards.
    func verify(using algorithm: some JWTAlgorithm) async throws {}

    private static func claim<Value: Codable & Sendable>(
        _ key: CodingKeys,
        in container: KeyedDecodingContainer<CodingKeys>
    ) -> Claim<Value> {
        guard container.contains(key), (try? container.decodeNil(forKey: key)) != true else { return .absent }
        guard let value = try? container.decode(Value.self, forKey: key) else { return .wrong }
        return .present(value)
    }
}
