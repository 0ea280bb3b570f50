/// A link by which others become the user's contacts, or join a group.
public struct Invite: Sendable, Equatable, Identifiable {
    /// The relay's name for it.
    public var id: String
    /// What the link ends with. The relay keeps only a hash, so it says this once, when the invitation is made.
    public var code: String?
    /// The group to which it invites; nil if it makes contacts.
    public var conversation: String?
    /// What those who open it become to the user; nil if it invites to a group.
    public var kind: String?
    /// How many may open it.
    public var uses: Int
    /// How many have opened it.
    public var used: Int
    /// When it was made.
    public var createdAt: Timestamp
    /// Until when it is good.
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

/// Who invites to what.
public struct Invitation: Sendable, Equatable {
    /// The name of whoever made the link; nil if the user has none.
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
