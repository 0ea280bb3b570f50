public import RoostWire

/// A conversation as its user sees it.
public struct Conversation: Sendable, Equatable {
    /// Its id, an opaque string.
    public var id: String
    /// Direct or group.
    public var kind: ConversationKind
    /// The name of a group; nil for a direct conversation.
    public var name: String?
    /// The user's own role.
    public var role: Role
    /// Number of members.
    public var count: Int
    /// The names of the first 50 members.
    public var members: [String]
    /// Sequence of the last message; zero if there is none.
    public var sequence: SequenceNumber
    /// Messages that the user has not read.
    public var unread: Int
    /// The last message that the user has read.
    public var read: SequenceNumber
    /// The last message.
    public var message: Message?
    /// When the last durable event happened.
    public var time: Timestamp
}

/// One page of conversations, newest first.
public struct ConversationPage: Sendable, Equatable {
    /// The conversations.
    public var conversations: [Conversation]
    /// The value for `before` to get the next page; nil on the last page.
    public var next: String?
}

/// The reply to `createGroup` and `openDirect`.
public struct CreatedConversation: Sendable, Equatable {
    /// The conversation.
    public var conversation: Conversation
    /// Whether the conversation existed already.
    public var isDuplicate: Bool
}

/// A change of a conversation.
public struct ConversationChange: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// The conversation was created, or this user was added to it.
        case created(kind: ConversationKind, name: String?, members: [String])
        /// The conversation has a new name.
        case renamed(String)
        /// These users were added. Users who are new also get kind, name and members.
        case added([String], kind: ConversationKind?, name: String?, members: [String])
        /// These users were removed.
        case removed([String])
        /// `by` left. If there is a new owner, it is this user.
        case left(owner: String?)
        /// This user has a new role.
        case role(user: String, Role)
    }

    /// The id of the conversation.
    public var conversation: String
    /// The event's place in the order of all events. Opaque.
    public var position: String
    /// The user who caused the event.
    public var by: String
    /// When it happened.
    public var time: Timestamp
    /// The change.
    public var change: Kind
}

/// How far a member has got in a conversation. Both sequences only rise.
public struct Watermark: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The member.
    public var user: String
    /// The last message that some device of the member has received.
    public var delivered: SequenceNumber
    /// Since when.
    public var deliveredAt: Timestamp?
    /// The last message that the member has read.
    public var read: SequenceNumber
    /// Since when.
    public var readAt: Timestamp?
    /// Number of unread messages; only for the user's own watermarks.
    public var unread: Int?
}

/// A member of a conversation.
public struct ConversationMember: Sendable, Equatable {
    /// The member's role.
    public var role: Role
    /// The member's name and watermarks.
    public var watermark: Watermark
}

/// The reply to `members`.
public struct MemberList: Sendable, Equatable {
    /// The members.
    public var members: [ConversationMember]
    /// Number of other members, if a sequence was asked for.
    public var others: Int?
    /// How many of them have received it.
    public var deliveredCount: Int?
    /// How many of them have read it.
    public var readCount: Int?
}

/// A user began or stopped typing in a conversation.
public struct Typing: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The user.
    public var user: String
    /// Whether typing began.
    public var isActive: Bool
}

/// The presence of a user.
public struct Presence: Sendable, Equatable {
    /// The state of a user.
    public enum State: String, Sendable {
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
