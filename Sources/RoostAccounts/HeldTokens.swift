import Foundation
import RoostWire

/// The tokens of a sign-in, and when they came by this device's clock, which may be wrong: the lifetime is in the token
/// itself. A value.
struct HeldTokens: Sendable, Equatable {
    var signIn: SignIn
    var access: String
    var refresh: String
    /// The name of the exchange of `refresh`. It is stored before the exchange begins, so that an app that is killed
    /// during one asks for the same again.
    var key: String
    /// Milliseconds since 1970.
    var received: Int64
    /// Lifetime of the access token, in milliseconds.
    var life: Int64

    /// From an answer of the services.
    init?(_ members: JSONMembers, received: Int64) {
        guard let user = members.string("user"), let device = members.string("device"),
            let session = members.string("session"), let access = members.string("accessToken"),
            let refresh = members.string("refreshToken"), let expires = members.integer("accessExpires")
        else { return nil }
        signIn = SignIn(user: user, device: device, session: session)
        self.access = access
        self.refresh = refresh
        key = UUID().uuidString
        self.received = received
        life = HeldTokens.life(of: access) ?? max(0, expires.subtractingReportingOverflow(received).partialValue)
    }

    /// From the store; nil if it isn't ours.
    init?(stored bytes: [UInt8]) {
        guard let members = bytes.withUnsafeBytes({ JSONMembers(parsing: $0) }), let user = members.string("user"),
            let device = members.string("device"), let session = members.string("session"),
            let access = members.string("access"), let refresh = members.string("refresh"),
            let key = members.string("key"), let received = members.integer("received"),
            let life = members.integer("life")
        else { return nil }
        signIn = SignIn(user: user, device: device, session: session)
        self.access = access
        self.refresh = refresh
        self.key = key
        self.received = received
        self.life = life
    }

    /// The bytes for the store.
    var stored: [UInt8] {
        JSONWriter.object { writer in
            writer.member("user", signIn.user)
            writer.member("device", signIn.device)
            writer.member("session", signIn.session)
            writer.member("access", access)
            writer.member("refresh", refresh)
            writer.member("key", key)
            writer.member("received", received)
            writer.member("life", life)
        }
    }

    /// Remaining lifetime of the access token; 0 if the clock was set back meanwhile.
    func left(now: Int64) -> Int64 {
        let (age, overflow) = now.subtractingReportingOverflow(received)
        guard !overflow, age >= 0, age < life else { return 0 }
        return life - age
    }

    // The difference of its claims `exp` and `iat`. It isn't checked: the relay does that.
    private static func life(of token: String) -> Int64? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var base64 = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64),
            let claims = data.withUnsafeBytes({ JSONMembers(parsing: $0) }),
            let issued = claims.integer("iat"), let expires = claims.integer("exp")
        else { return nil }
        let (seconds, overflow) = expires.subtractingReportingOverflow(issued)
        // A day is the longest that a relay takes.
        guard !overflow, (1...86_400).contains(seconds) else { return nil }
        return seconds * 1_000
    }
}
