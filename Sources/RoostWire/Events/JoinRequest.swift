/// A user who has opened a link to a group and waits for an admin.
public struct JoinRequest: Sendable, Equatable {
    /// The user.
    public var user: String
    /// Display name of the user; nil if it has none.
    public var name: String?
    /// The user who made the link.
    public var inviter: String
    /// When it was opened.
    public var time: Timestamp
    /// When the request ends at the latest.
    public var expires: Timestamp
}

extension JoinRequest {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let user = members.string("user"), let inviter = members.string("inviter"),
            let time = members.time("time"), let expires = members.time("expires")
        else { return nil }
        self.init(user: user, name: members.string("name"), inviter: inviter, time: time, expires: expires)
    }
}

/// A group that the user waits for.
public struct AwaitedGroup: Sendable, Equatable {
    /// Its name.
    public var group: String
    /// When the link was opened.
    public var time: Timestamp
    /// When the user doesn't wait any more.
    public var expires: Timestamp
}

extension AwaitedGroup {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let group = members.string("group"), let time = members.time("time"),
            let expires = members.time("expires")
        else { return nil }
        self.init(group: group, time: time, expires: expires)
    }
}

/// Result of opening a link.
public enum OpenedInvitation: Sendable, Equatable {
    /// The user is in this conversation.
    case conversation(CreatedConversation)
    /// The admins of the group have been asked. Until then, at most, the user waits.
    case waiting(until: Timestamp)
}

extension OpenedInvitation {
    /// Reads the answer to `invite.open`; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        if members.flag("waiting") == true, let end = members.time("expires") {
            self = .waiting(until: end)
        } else if let made = CreatedConversation(reading: members) {
            self = .conversation(made)
        } else {
            return nil
        }
    }
}
