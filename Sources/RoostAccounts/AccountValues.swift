public import RoostWire

/// The signed-in user on this device.
public struct SignIn: Sendable, Equatable {
    /// The name in the relay, for ever.
    public var user: String
    /// The name of this device.
    public var device: String
    /// The id of this sign-in among those of the user.
    public var session: String
}

/// A change of a sign-in, whether or not the app asked for it.
public enum AccountEvent: Sendable, Equatable {
    /// A user has signed in, or up.
    case signedIn(SignIn)
    /// The user is signed out. The tokens are gone from the store; disconnect from the relay.
    case signedOut(SignOutReason)
}

/// The reason for a sign-out.
public enum SignOutReason: Sendable, Equatable {
    /// The app asked for it.
    case asked
    /// The account is deleted.
    case deleted
    /// The session was ended elsewhere, or this device was unused for too long.
    case ended
    /// An operator keeps the account out. Say so, and don't ask for the password.
    case suspended
    /// The refresh token was used twice, so it may be stolen. The session has ended for both.
    case stolen
}

/// An account as its owner sees it.
public struct AccountProfile: Sendable, Equatable {
    /// The name in the relay, for ever.
    public var user: String
    /// Nil if the user signed up by another issuer that sent no address.
    public var email: String?
    /// Empty for a user who was imported without a name: ask for it.
    public var displayName: String
    /// The role chosen at sign-up, where there are roles.
    public var role: String?
    /// The language of mails.
    public var language: String
    /// Whether the address is confirmed.
    public var isVerified: Bool
    /// Whether a second factor is asked for when its owner signs in.
    public var hasSecondFactor: Bool
    /// When it was made.
    public var created: Timestamp

    init?(_ members: JSONMembers) {
        guard let user = members.string("user"), let name = members.string("displayName") else { return nil }
        self.user = user
        email = members.string("email")
        displayName = name
        role = members.string("role")
        language = members.string("language") ?? "en"
        isVerified = members.flag("verified") ?? false
        hasSecondFactor = members.flag("hasFactor") ?? false
        created = members.time("created") ?? .never
    }
}

/// Where the user is signed in.
public struct AccountSession: Sendable, Equatable, Identifiable {
    /// To end it by.
    public var id: String
    /// The name of the device.
    public var device: String
    /// When it began.
    public var created: Timestamp
    /// When its tokens were last renewed.
    public var used: Timestamp
    /// Whether it is the one of this device.
    public var isCurrent: Bool

    init?(_ members: JSONMembers) {
        guard let id = members.string("session"), let device = members.string("device") else { return nil }
        self.id = id
        self.device = device
        created = members.time("created") ?? .never
        used = members.time("used") ?? .never
        isCurrent = members.flag("current") ?? false
    }
}

/// A user found by the address.
public struct FoundUser: Sendable, Equatable {
    /// The user's id at the relay.
    public var user: String
    /// The name; empty if there is none.
    public var displayName: String
}
