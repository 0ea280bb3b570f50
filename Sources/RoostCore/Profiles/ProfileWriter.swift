import RoostFraming
import RoostWire

/// Writes profiles into the object that is open.
extension FrameBuilder {
    /// Writes a user's profile as it is stored.
    func profile(of user: User) {
        outline(of: user)
        guard let profile = user.profile?.stored, !profile.isDeleted else { return }
        if !profile.username.isEmpty { member("username", plain: profile.username) }
        if !profile.bio.isEmpty { member("bio", profile.bio) }
        if !profile.role.isEmpty { member("role", plain: profile.role) }
        if !profile.tier.isEmpty { member("tier", plain: profile.tier) }
    }

    /// Writes what a list shows of a user.
    func outline(of user: User) {
        member("user", plain: user.name)
        guard let profile = user.profile?.stored, profile.version > 0 else { return }
        member("version", profile.version)
        if profile.isDeleted { member("deleted", true) }
        if !profile.name.isEmpty { member("name", profile.name) }
        if !profile.photo.isEmpty { member("photo", profile.photo) }
    }
}
