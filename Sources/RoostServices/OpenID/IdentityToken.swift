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

    /// Reads a token. Keys and addresses of keys that a token brings along are ignored.
    /// - Throws: what is wrong if it has no key's name, or an algorithm or extension that we don't take.
    init(_ text: String, bytesMax: Int) throws(ClaimRefusal) {
        guard text.utf8.count <= bytesMax else { throw ClaimRefusal("more than \(bytesMax) bytes") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), !signature.isEmpty,
            let members = head.withUnsafeBytes({ JSONMembers(parsing: $0) })
        else { throw ClaimRefusal("no signed token") }
        guard let algorithm = members.string("alg").flatMap(IssuerKey.Algorithm.init) else {
            throw ClaimRefusal("alg")
        }
        guard let kid = members.string("kid") else { throw ClaimRefusal("kid") }
        // RFC 7515, section 4.1.11: who doesn't understand an extension must refuse the token.
        guard members["crit"] == nil else { throw ClaimRefusal("crit") }
        // Other tokens of an issuer, such as those for its own services, say what they are (RFC 8725, 3.11).
        guard members["typ"] == nil || members.string("typ")?.lowercased() == "jwt" else { throw ClaimRefusal("typ") }
        self.algorithm = algorithm
        self.kid = kid
        self.payload = payload
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// The claims, if this key signed them.
    func claims(by key: IssuerKey) throws(ClaimRefusal) -> JSONMembers {
        guard key.kid == kid, key.algorithm == algorithm else { throw ClaimRefusal("kid") }
        guard key.hasSigned(signed, signature) else { throw ClaimRefusal("signature") }
        guard let claims = payload.withUnsafeBytes({ JSONMembers(parsing: $0) }) else {
            throw ClaimRefusal("claims that can't be read")
        }
        return claims
    }
}

/// The fault of an identity token: the name of a claim, for the log, and never its value.
struct ClaimRefusal: Error, Equatable {
    let claim: String

    init(_ claim: String) { self.claim = claim }
}

/// A user's identity elsewhere, as the issuer states it. A value.
package struct Identity: Sendable, Equatable {
    package var issuer: String
    /// The user's id there, for ever. Never the address, which may pass to another person.
    package var subject: String
    package var email: String?
    /// Whether the issuer has seen that the address is theirs.
    package var isEmailVerified = false
    package var name: String?
    /// Our client that the token is for.
    package var client: String

    /// Takes what the claims say of the address, and the name if there is none yet.
    /// - Parameter isTrusted: whether the operator believes the issuer without its word that it has seen the address.
    mutating func addAddress(_ claims: JSONMembers, isTrusted: Bool) {
        email = claims.string("email")
        // Apple writes a text.
        isEmailVerified = claims.flag("email_verified") == true || claims.string("email_verified") == "true"
        // An issuer that says no isn't believed in spite of it.
        if isTrusted, claims["email_verified"] == nil { isEmailVerified = true }
        name = name ?? Identity.name(claims)
    }

    private static func name(_ claims: JSONMembers) -> String? {
        if let name = claims.string("name"), !name.isEmpty { return name }
        let parts = [claims.string("given_name"), claims.string("family_name")].compactMap(\.self)
        let joined = parts.filter { !$0.isEmpty }.joined(separator: " ")
        return joined.isEmpty ? nil : joined
    }
}

/// The required claims of an identity token (OpenID Connect Core 1.0, section 3.1.3.7). Pure: the time is handed in.
struct IdentityRules: Sendable {
    /// The secret that begins a sign-in, and must come back in the token, so that a token that was stolen elsewhere is
    /// of no use.
    enum Nonce: Sendable {
        /// Ours, as it is.
        case exact(String)
        /// An app's own, whose SHA-256, in hexadecimal digits, the app gave to the provider. The claim's own value is
        /// refused: a thief who has only the token can read that, and not what it is the hash of.
        case hashed(String)
    }

    var issuers: [String]
    /// Our clients at the issuer.
    var clients: [String]
    /// Other audiences that a token may have, beside one of them.
    var trusted: [String] = []
    /// Whether an address counts as confirmed if the issuer says nothing of that.
    var trustsAddresses = false
    var nonce: Nonce
    /// Seconds since 1970.
    var now: Int64
    var bounds = OpenIDBounds()

    /// Returns the identity in the claims.
    /// - Throws: the first claim that is missing or wrong.
    func identity(_ claims: JSONMembers) throws(ClaimRefusal) -> Identity {
        guard let issuer = claims.string("iss"), issuers.contains(issuer), let canonical = issuers.first else {
            throw ClaimRefusal("iss")
        }
        let client = try client(claims)
        try checkTimes(claims)
        guard isOurNonce(claims) else { throw ClaimRefusal("nonce") }
        guard let subject = claims.string("sub"), (1...bounds.subjectBytes).contains(subject.utf8.count) else {
            throw ClaimRefusal("sub")
        }
        var identity = Identity(issuer: canonical, subject: subject, client: client)
        identity.addAddress(claims, isTrusted: trustsAddresses)
        return identity
    }

    /// The client that the token is for. One that is for others, too, is refused unless the operator trusts them: they
    /// could have handed it on.
    private func client(_ claims: JSONMembers) throws(ClaimRefusal) -> String {
        let audience: [String]
        if let one = claims.string("aud") {
            audience = [one]
        } else {
            let elements = claims["aud"]?.elements ?? []
            audience = elements.compactMap(\.string)
            guard audience.count == elements.count else { throw ClaimRefusal("aud") }
        }
        guard let first = audience.first(where: clients.contains),
            audience.allSatisfy({ clients.contains($0) || trusted.contains($0) })
        else { throw ClaimRefusal("aud") }
        // The authorized party. Google's is an app's where the audience is its server's.
        guard claims["azp"] == nil || claims.string("azp").map(clients.contains) == true else {
            throw ClaimRefusal("azp")
        }
        return first
    }

    private func checkTimes(_ claims: JSONMembers) throws(ClaimRefusal) {
        guard let expires = IdentityRules.time(claims["exp"]) else { throw ClaimRefusal("exp") }
        guard let issued = IdentityRules.time(claims["iat"]) else { throw ClaimRefusal("iat") }
        let (earliest, latest) = (Double(now - bounds.skewSeconds), Double(now + bounds.skewSeconds))
        guard issued <= latest else { throw ClaimRefusal("iat") }
        guard expires > earliest, issued < expires else { throw ClaimRefusal("exp") }
        guard claims["nbf"] == nil || IdentityRules.time(claims["nbf"]).map({ $0 <= latest }) == true else {
            throw ClaimRefusal("nbf")
        }
    }

    /// A NumericDate, which may have a fraction or an exponent (RFC 7519, section 2), of this side of the year 287396.
    private static func time(_ value: JSONValue?) -> Double? {
        guard let value, value.kind == .number, let time = Double(String(decoding: value.raw, as: UTF8.self)),
            abs(time) < 9_007_199_254_740
        else { return nil }
        return time
    }

    private func isOurNonce(_ claims: JSONMembers) -> Bool {
        guard let said = claims.string("nonce"), !said.isEmpty else { return false }
        switch nonce {
        case .exact(let nonce): return said == nonce
        case .hashed(let nonce):
            let hash = SHA256.hash(data: Data(nonce.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return said == hash.joined()
        }
    }
}
