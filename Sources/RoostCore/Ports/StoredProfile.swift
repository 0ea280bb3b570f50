import RoostWire

/// A user's profile, as it is stored. Only the version of a user who has left for good is left.
public struct StoredProfile: Hashable, Sendable {
    /// Rises by one with each change, from 1 on.
    public var version: Int64
    /// The display name; empty if there is none. So it is with all texts.
    public var name = ""
    /// The name by which others find the user, in lower case. No two users have the same.
    public var username = ""
    /// Where the photo is.
    public var photo = ""
    /// The user's self-description.
    public var bio = ""
    /// The role that a service has given.
    public var role = ""
    /// The tier that a service has given.
    public var tier = ""
    /// Whether the user has left for good.
    public var isDeleted = false

    /// An empty profile of this version.
    public init(version: Int64) { self.version = version }

    /// The rest of a profile of this version whose user has left for good.
    public static func tombstone(version: Int64) -> StoredProfile {
        var profile = StoredProfile(version: version)
        profile.isDeleted = true
        return profile
    }

    /// The profile after a change, with the same version.
    func changed(by change: ProfileChange) -> StoredProfile {
        var profile = self
        if let name = change.name { profile.name = name.string }
        if let username = change.username { profile.username = username.string.lowercased() }
        if let photo = change.photo { profile.photo = photo.string }
        if let bio = change.bio { profile.bio = bio.string }
        if let role = change.role { profile.role = role.string }
        if let tier = change.tier { profile.tier = tier.string }
        return profile
    }
}
