import RoostConfiguration
import RoostWire

/// An issuer's description of itself (OpenID Connect Discovery 1.0, section 3). A value.
struct IssuerDocument: Sendable, Equatable {
    /// Where browsers go.
    let authorization: String
    /// Where a code becomes tokens.
    let token: String
    /// Where the keys are. From nowhere else are keys taken.
    let keys: String
    /// Where a grant is ended (RFC 7009).
    let revocation: String?
    /// The endpoint with more about a user (OpenID Connect Core 1.0, section 5.3); nil if it can't be used.
    let user: String?
    /// Whether the client shows its secret in `Authorization`, which is so unless the document says otherwise.
    let takesBasic: Bool

    /// Reads the document of the issuer that is configured; nil if it is another's, or if an address in it can't be
    /// used. A document that names another issuer would have that one's users taken for this one's.
    init?(_ bytes: [UInt8], issuer: String, rule: EndpointRule) {
        guard let members = bytes.withUnsafeBytes({ JSONMembers(parsing: $0) }), members.string("issuer") == issuer,
            let authorization = members.string("authorization_endpoint"), rule.allows(authorization),
            let token = members.string("token_endpoint"), rule.allows(token),
            let keys = members.string("jwks_uri"), rule.allows(keys)
        else { return nil }
        let revocation = members.string("revocation_endpoint")
        guard revocation.map(rule.allows) ?? true else { return nil }
        self.authorization = authorization
        self.token = token
        self.keys = keys
        self.revocation = revocation
        user = members.string("userinfo_endpoint").flatMap { rule.allows($0) ? $0 : nil }
        let ways = members.strings("token_endpoint_auth_methods_supported")
        takesBasic = ways.isEmpty || ways.contains("client_secret_basic")
    }
}

/// The addresses that an issuer and its document may have: `https`, and `http` to this machine if the operator allows
/// its addresses. A value.
package struct EndpointRule: Sendable, Equatable {
    private static let urlBytes = 2_048
    private static let loopback = ["127.0.0.1", "::1"].compactMap { NetworkAddress($0) }

    private let allowsThisMachine: Bool

    /// `policy` is that of all requests that leave.
    package init(_ policy: AddressPolicy) { allowsThisMachine = EndpointRule.loopback.contains(where: policy.permits) }

    /// Whether it is such an address, without a fragment.
    package func allows(_ text: String) -> Bool {
        guard let url = OutgoingURL(text, schemes: ["https", "http"], bytes: EndpointRule.urlBytes),
            !text.contains("#")
        else { return false }
        return url.scheme == "https" || allowsThisMachine && ["localhost", "127.0.0.1", "[::1]"].contains(url.host)
    }
}
