/// A user's profile.
public struct UserProfile: Sendable, Hashable {
    /// The user.
    public var user: String
    /// Rises by one with each change; 0 if the user has no profile, or doesn't show it.
    public var version: Int64
    /// The display name.
    public var name: String?
    /// The name by which the user is found, in lower case.
    public var username: String?
    /// Where the photo is.
    public var photo: String?
    /// The user's self-description. A list of conversations leaves it out, and what follows, too.
    public var bio: String?
    /// The role that a service has given.
    public var role: String?
    /// The tier that a service has given.
    public var tier: String?
    /// Whether the person has left for good. Nothing but the version is left then.
    public var isDeleted: Bool

    /// Creates one, such as a client has kept.
    public init(
        user: String, version: Int64, name: String? = nil, username: String? = nil, photo: String? = nil,
        bio: String? = nil, role: String? = nil, tier: String? = nil, isDeleted: Bool = false
    ) {
        self.user = user
        self.version = version
        self.name = name
        self.username = username
        self.photo = photo
        self.bio = bio
        self.role = role
        self.tier = tier
        self.isDeleted = isDeleted
    }
}

extension UserProfile {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let user = members.string("user") else { return nil }
        self.user = user
        version = members.integer("version") ?? 0
        name = members.string("name")
        username = members.string("username")
        photo = members.string("photo")
        bio = members.string("bio")
        role = members.string("role")
        tier = members.string("tier")
        isDeleted = members.flag("deleted") ?? false
    }

    /// Reads the profiles of people in an answer about conversations, as far as they have set them.
    public static func people(reading members: JSONMembers) -> [UserProfile] {
        (members.objects("people") ?? []).compactMap(UserProfile.init(reading:))
    }
}

/// The answer to `user.get` and `user.find`.
public struct ProfilePage: Sendable, Equatable {
    /// The profiles. `user.get` answers with one for each user, in the same order.
    public var profiles: [UserProfile]
    /// The value for `after` to get the next page; nil on the last page.
    public var next: String?
    /// Whether the server stopped before it had looked at all users: a longer prefix finds the others.
    public var isPartial: Bool
}

extension ProfilePage {
    /// Reads the answer; nil if it isn't one to these commands.
    public init?(reading members: JSONMembers) {
        guard let profiles = members.objects("profiles") else { return nil }
        self.profiles = profiles.compactMap(UserProfile.init(reading:))
        next = members.string("next")
        isPartial = members.flag("partial") ?? false
    }
}
