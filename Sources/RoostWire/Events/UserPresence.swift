/// The presence of a user.
public struct UserPresence: Sendable, Equatable {
    /// The state of a user. The raw value is the word on the wire.
    public enum State: String, Sendable, CaseIterable {
        /// A device is in use.
        case online
        /// Connected, but no device is in use.
        case away
        /// Connected, and not to be disturbed.
        case busy
        /// Not connected, or wants to seem so.
        case offline
    }

    /// The user.
    public var user: String
    /// The state.
    public var state: State
    /// The user's status text, if there is one.
    public var text: String?
    /// When an offline user was last online, if ever.
    public var lastSeen: Timestamp?
    /// A coarse form of the same, if the user doesn't share the time.
    public var seen: SeenRange?
}

extension UserPresence {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let user = members.string("user"), let state = members.string("state").flatMap(State.init(rawValue:))
        else { return nil }
        self.user = user
        self.state = state
        text = members.string("text")
        lastSeen = members.time("lastSeen")
        seen = members.string("seen").flatMap(SeenRange.init(word:))
    }

    /// The users of a `presence` event or of the answer to `watch`. Leaves out those whose state this version doesn't
    /// know.
    public static func list(reading members: JSONMembers) -> [UserPresence] {
        (members.objects("users") ?? []).compactMap(UserPresence.init(reading:))
    }
}

/// The status that the user of this session has chosen for others to see.
public struct OwnStatus: Sendable, Equatable {
    /// The user's choice.
    public var state: StatusChoice
    /// The status text; empty if there is none.
    public var text: String
    /// When it ends by itself; nil if it stays.
    public var until: Timestamp?

    /// Creates one.
    public init(_ state: StatusChoice = .auto, text: String = "", until: Timestamp? = nil) {
        self.state = state
        self.text = text
        self.until = until
    }
}

extension OwnStatus {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let state = members.string("state").flatMap(StatusChoice.init(word:)) else { return nil }
        self.state = state
        text = members.string("text") ?? ""
        until = members.time("until")
    }
}

/// A user began or stopped typing in a conversation, or types in another thread of it than before. In a conversation
/// where many type, it may say that several others do, or no longer do.
public struct TypingChange: Sendable, Equatable {
    /// The users who type.
    public enum Who: Sendable, Equatable {
        /// One user, who types in one place of a conversation at a time.
        case user(String)
        /// Several users besides those who are named.
        case several
    }

    /// The id of the conversation.
    public var conversation: String
    /// The users who type.
    public var who: Who
    /// The message in whose thread the user types; nil if it is the conversation itself.
    public var replyTo: SequenceNumber?
    /// False when typing has ended.
    public var isActive: Bool
}

extension TypingChange {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let isActive = members.flag("active") else {
            return nil
        }
        if members.flag("several") == true {
            who = .several
        } else {
            guard let user = members.string("user") else { return nil }
            who = .user(user)
        }
        self.conversation = conversation
        replyTo = members.sequence("replyTo")
        self.isActive = isActive
    }
}
