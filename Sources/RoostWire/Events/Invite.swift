/// A link by which others become the user's contacts, or join a group.
public struct Invite: Sendable, Equatable, Identifiable {
    /// The relay's name for it.
    public var id: String
    /// The end of the link's address. The relay keeps only a hash, so only the answer to making the invitation has it.
    public var code: String?
    /// The group to which it invites; nil if it makes contacts.
    public var conversation: String?
    /// The relation of new contacts to the user; nil if it invites to a group.
    public var kind: String?
    /// Number of users who may open it.
    public var uses: Int
    /// Number of users who have opened it.
    public var used: Int
    /// When it was made.
    public var createdAt: Timestamp
    /// Time when it expires.
    public var expires: Timestamp
}

extension Invite {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let id = members.string("invite"), let uses = members.count("uses"), let used = members.count("used"),
            let createdAt = members.time("createdAt"), let expires = members.time("expires")
        else { return nil }
        self.init(
            id: id, code: members.string("code"), conversation: members.string("conversation"),
            kind: members.string("kind"), uses: uses, used: used, createdAt: createdAt, expires: expires)
    }
}

/// The inviter and the target of an invitation.
public struct Invitation: Sendable, Equatable {
    /// The name of the link's maker; nil if the user has none.
    public var name: String?
    /// The name of the group; nil if the link makes contacts.
    public var group: String?
}

extension Invitation {
    /// Reads the answer to `invite.show`; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let invitation = members.object("invitation") else { return nil }
        self.init(name: invitation.string("name"), group: invitation.string("group"))
    }
}
