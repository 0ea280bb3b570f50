import RoostWire

/// The rules for finding users, and for seeing their profiles.
extension Policy {
    /// Whether `other` is a contact of `user`: both want it.
    func isContact(_ other: User, of user: User) -> Bool { user.contacts[other.number]?.isAccepted ?? false }

    /// The rule for which users can be found.
    var directoryRule: PolicyRules.Directory { rules.directory }

    /// Whether `user` may be shown the profile of `other`. As it may take long to find a conversation, it is searched
    /// step by step.
    func acquaintance(with other: User, of user: User, direct: Conversation?) -> Sight {
        Sight(
            of: other, by: user, direct: wanted(direct),
            isOpen: rules.directory != .contacts || isContact(other, of: user)
                || hasAsked(other, for: user, in: direct),
            countsFormer: true)
    }

    /// Whether nothing of the user's profile is shown to the viewer, whatever the two share: the viewer has blocked it.
    /// The blocked one is shown profiles as without the block; a name that vanished would betray it.
    func hidesProfile(of user: User, from viewer: User) -> Bool {
        viewer.hasBlocked(user.number)
    }
}
