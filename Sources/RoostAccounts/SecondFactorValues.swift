public import RoostWire

/// The result of the first step of a sign-in, for the second. It signs no user in by itself. It shows no secret,
/// wherever it is written.
public struct SignInTicket: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let secret: String
    /// When it ends: begin again then.
    public let expires: Timestamp

    init?(_ members: JSONMembers) {
        guard members.string("code") == "factor_required", let secret = members.string("ticket"),
            let expires = members.time("expires")
        else { return nil }
        self.secret = secret
        self.expires = expires
    }

    /// Says what it is, and not the secret.
    public var description: String { "SignInTicket" }
    /// Has no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["expires": expires]) }
}

/// Whether a second factor is asked for when its owner signs in.
public struct SecondFactorState: Sendable, Equatable {
    /// When it was turned on; nil if it is off.
    public var since: Timestamp?
    /// Recovery codes that are left.
    public var recoveryCodes: Int
    /// Whether the account is an operator's, and operators need a second factor here.
    public var isRequired: Bool

    init(_ members: JSONMembers) {
        since = members.time("since")
        recoveryCodes = Int(clamping: members.integer("recoveryCodes") ?? 0)
        isRequired = members.flag("required") ?? false
    }
}

/// The secret of a second factor that waits for its first code. Show it, and keep it nowhere.
public struct SecondFactorOffer: Sendable, Equatable {
    /// The secret, for people who type it into their app.
    public var secret: String
    /// The same as an `otpauth:` address, for a QR code.
    public var address: String
    /// Time at which it expires, unless a code was shown.
    public var expires: Timestamp

    init?(_ members: JSONMembers) {
        guard let secret = members.string("secret"), let address = members.string("address") else { return nil }
        self.secret = secret
        self.address = address
        expires = members.time("expires") ?? .never
    }
}
