import Crypto
import Foundation
import RoostAuth
import RoostWire

/// An identity token as it came (OpenID Connect Core 1.0, section 2). Nothing in it is believed before its signature is
/// checked; only the two words that say by which key. A value.
struct IdentityToken: Sendable {
    /// The algorithm that it says it has.
    let algorithm: IssuerKey.Algorithm
    /// The name of the key.
    let kid: String
    private let signed: [UInt8]
    private let payload: [UInt8]
    private let signature: [UInt8]

    /// Reads a token; nil if it has no key's name, or an algorithm or extension that we don't take. Keys and addresses
    /// of keys that a token brings along are ignored.
    init?(_ text: String, bytesMax: Int) {
        guard text.utf8.count <= bytesMax else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), !signature.isEmpty,
            let members = head.withUnsafeBytes({ JSONMembers(parsing: $0) }),
            let algorithm = members.string("alg").flatMap(IssuerKey.Algorithm.init),
            let kid = members.string("kid"),
            // RFC 7515, section 4.1.11: who doesn't understand an extension must refuse the token.
            members["crit"] == nil,
            // Other tokens of an issuer, such as those for its own services, say what they are (RFC 8725, 3.11).
            members["typ"] == nil || members.string("typ")?.lowercased() == "jwt"
        else { return nil }
        self.algorithm = algorithm
        self.kid = kid
        self.payload = payload
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// The claims, if this key signed them.
    func claims(by key: IssuerKey) -> JSONMembers? {
        guard key.kid == kid, key.algorithm == algorithm, key.hasSigned(signed, signature) else { return nil }
        return payload.withUnsafeBytes { JSONMembers(parsing: $0) }
    }
}

/// Who somebody is elsewhere, as the issuer says. A value.
package struct Identity: Sendable, Equatable {
    package var issuer: String
    /// Who it is there, for ever. Never the address, which may become somebody else's.
    package var subject: String
    package var email: String?
    /// Whether the issuer has seen that the address is theirs.
    package var isEmailVerified = false
    package var name: String?
    /// Which of our clients the token is for.
    package var client: String
}

/// What the claims of an identity token must say (OpenID Connect Core 1.0, section 3.1.3.7). Pure: the time is handed
/// in.
struct IdentityRules: Sendable {
    /// What begins a sign-in, and must come back in the token, so that a token that was stolen elsewhere is of no use.
    enum Nonce: Sendable {
        /// Ours, as it is.
        case exact(String)
        /// An app's own, or its SHA-256 in hexadecimal digits, as apps usually send it to the provider: then who has
        /// seen the token only can't use it.
        case plainOrHashed(String)
    }

    var issuers: [String]
    /// Our clients at the issuer.
    var clients: [String]
    var nonce: Nonce
    /// Seconds since 1970.
    var now: Int64
    var bounds = OpenIDBounds()

    /// Who it is; nil if a claim is missing or says something else.
    func identity(_ claims: JSONMembers) -> Identity? {
        guard let issuer = claims.string("iss"), issuers.contains(issuer), let canonical = issuers.first,
            let client = client(claims), isInTime(claims), isOurNonce(claims),
            let subject = claims.string("sub"), (1...bounds.subjectBytes).contains(subject.utf8.count)
        else { return nil }
        return Identity(
            issuer: canonical, subject: subject, email: claims.string("email"),
            // Apple writes a text.
            isEmailVerified: claims.flag("email_verified") == true || claims.string("email_verified") == "true",
            name: name(claims), client: client)
    }

    /// The client that the token is for. One that is for others, too, is refused: they could have handed it on.
    private func client(_ claims: JSONMembers) -> String? {
        let audience: [String]
        if let one = claims.string("aud") {
            audience = [one]
        } else {
            let elements = claims["aud"]?.elements ?? []
            audience = elements.compactMap(\.string)
            guard audience.count == elements.count else { return nil }
        }
        guard let first = audience.first, audience.allSatisfy(clients.contains) else { return nil }
        // To whom it was given. Google's is an app's where the audience is its server's.
        guard claims["azp"] == nil || claims.string("azp").map(clients.contains) == true else { return nil }
        return first
    }

    private func isInTime(_ claims: JSONMembers) -> Bool {
        guard let expires = claims.integer("exp"), let issued = claims.integer("iat") else { return false }
        let (earliest, latest) = (now - bounds.skewSeconds, now + bounds.skewSeconds)
        guard expires > earliest, issued <= latest, issued < expires else { return false }
        return claims["nbf"] == nil || claims.integer("nbf").map { $0 <= latest } == true
    }

    private func isOurNonce(_ claims: JSONMembers) -> Bool {
        guard let said = claims.string("nonce"), !said.isEmpty else { return false }
        switch nonce {
        case .exact(let nonce): return said == nonce
        case .plainOrHashed(let nonce):
            let hash = SHA256.hash(data: Data(nonce.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return said == nonce || said == hash.joined()
        }
    }

    private func name(_ claims: JSONMembers) -> String? {
        if let name = claims.string("name"), !name.isEmpty { return name }
        let parts = [claims.string("given_name"), claims.string("family_name")].compactMap(\.self)
        let joined = parts.filter { !$0.isEmpty }.joined(separator: " ")
        return joined.isEmpty ? nil : joined
    }
}
