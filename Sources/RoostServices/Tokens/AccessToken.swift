import RoostWire

/// The claims of an access token (RFC 7519). The relay and this process believe it until it ends, unless its session
/// was ended.
package struct AccessToken: Sendable, Equatable {
    /// Most bytes of a token that is looked at. Ours have 500.
    static let bytesMax = 2_048

    package var user: String
    package var device: String
    package var sid: String
    /// Whether its scope has `admin`.
    package var isOperator = false
    /// Seconds since 1970.
    package var issued: Int64
    package var expires: Int64

    /// Signs it, for the relay and for this process.
    func signed(by keys: KeyRing) throws(ServiceFault) -> String {
        try keys.sign(
            JSONWriter.object { writer in
                writer.member("sub", user)
                writer.member("device", device)
                writer.member("sid", sid)
                AccessToken.write(scope: isOperator ? "chat admin" : "chat", issued: issued, expires: expires, writer)
            })
    }

    /// The name of this process at the relay: no user can have it, so a service that may end users' sessions can't end
    /// ours.
    static let serviceName = "@roost-services"

    /// A token for this process itself, with which it talks to the relay.
    static func service(by keys: KeyRing, issued: Int64, seconds: Int64) throws(ServiceFault) -> String {
        try keys.sign(
            JSONWriter.object { writer in
                writer.member("sub", serviceName)
                write(scope: "service", issued: issued, expires: issued + seconds, writer)
            })
    }

    /// Writes the claims that every token of ours has about itself.
    static func write(scope: String, issued: Int64, expires: Int64, _ writer: JSONWriter) {
        writer.member("jti", RandomName.session())
        writer.member("iat", issued)
        writer.member("exp", expires)
        writer.member("scope", scope)
    }

    /// Reads a token that we signed for a person; nil if it is another or has ended.
    static func read(_ token: String, by keys: KeyRing, now: Int64) -> AccessToken? {
        guard token.utf8.count <= bytesMax, let claims = keys.claims(of: token),
            let members = claims.withUnsafeBytes({ JSONMembers(parsing: $0) }),
            let words = members.string("scope")?.split(separator: " "), words.contains("chat"),
            let user = members.string("sub"), let device = members.string("device"), let sid = members.string("sid"),
            let issued = members.integer("iat"), let expires = members.integer("exp"), expires > now
        else { return nil }
        return AccessToken(
            user: user, device: device, sid: sid, isOperator: words.contains("admin"), issued: issued, expires: expires)
    }
}
