/// The presence of a user.
public struct UserPresence: Sendable, Equatable {
    /// The state of a user. The raw value is the word on the wire.
    public enum State: String, Sendable, CaseIterable {
        /// A device is in use.
        case online
        /// Connected, but no device is in use.
        case away
        /// Not connected.
        case offline
    }

    /// The user.
    public var user: String
    /// The state.
    public var state: State
    /// When an offline user was last online, if ever.
    public var lastSeen: Timestamp?
}

extension UserPresence {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let user = members.string("user"), let state = members.string("state").flatMap(State.init(rawValue:))
        else { return nil }
        self.user = user
        self.state = state
        lastSeen = members.time("lastSeen")
    }

    /// The users of a `presence` event or of the answer to `watch`. Leaves out those whose state this version doesn't
    /// know.
    public static func list(reading members: JSONMembers) -> [UserPresence] {
        (members.objects("users") ?? []).compactMap(UserPresence.init(reading:))
    }
}

/// A user began or stopped typing in a conversation.
public struct TypingChange: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The user.
    public var user: String
    /// Whether typing began.
    public var isActive: Bool
}

extension TypingChange {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let user = members.string("user"),
            let isActive = members.flag("active")
        else { return nil }
        self.conversation = conversation
        self.user = user
        self.isActive = isActive
    }
}
