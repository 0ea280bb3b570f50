public import RoostWire

/// A conversation as its user sees it.
public struct Conversation: Sendable, Equatable {
    /// Its id. Opaque.
    public var id: String
    /// Direct or group.
    public var kind: ConversationKind
    /// Groups only.
    public var name: String?
    /// The own role.
    public var role: Role
    /// How many members.
    public var count: Int
    /// The first 50 of them.
    public var members: [String]
    /// The last message; zero if there is none.
    public var sequence: SequenceNumber
    /// Messages that the user has not read.
    public var unread: Int
    /// How far the user has read.
    public var read: SequenceNumber
    /// The last message.
    public var message: Message?
    /// When the last durable event happened.
    public var time: Timestamp
}

/// One page of conversations, the newest first.
public struct ConversationPage: Sendable, Equatable {
    /// The conversations.
    public var conversations: [Conversation]
    /// What to give as `before` for the next page; nil if this is the last.
    public var next: String?
}

/// The reply to `createGroup` and `openDirect`.
public struct CreatedConversation: Sendable, Equatable {
    /// The conversation.
    public var conversation: Conversation
    /// Whether it was there already.
    public var isDuplicate: Bool
}

/// A conversation changed.
public struct ConversationChange: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// It came about, or this user was added: who was added, and what it is.
        case created(kind: ConversationKind, name: String?, members: [String])
        /// It has another name.
        case renamed(String)
        /// These users came; kind, name and members are given to those who are new.
        case added([String], kind: ConversationKind?, name: String?, members: [String])
        /// These users were removed.
        case removed([String])
        /// `by` left; ownership passed on to this user, if at all.
        case left(owner: String?)
        /// This user has another role.
        case role(user: String, Role)
    }

    /// The id of the conversation.
    public var conversation: String
    /// The place of this event in the order of all. Opaque.
    public var position: String
    /// Who did it.
    public var by: String
    /// When.
    public var time: Timestamp
    /// What.
    public var change: Kind
}

/// How far a member has got in a conversation. Both only rise.
public struct Watermark: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The member.
    public var user: String
    /// Some device of the member has everything up to here.
    public var delivered: SequenceNumber
    /// Since when.
    public var deliveredAt: Timestamp?
    /// The member has read up to here.
    public var read: SequenceNumber
    /// Since when.
    public var readAt: Timestamp?
    /// Own watermarks only: messages that are not read.
    public var unread: Int?
}

/// A member of a conversation.
public struct ConversationMember: Sendable, Equatable {
    /// What the member may do.
    public var role: Role
    /// Who it is and how far they have got.
    public var watermark: Watermark
}

/// The reply to `members`.
public struct MemberList: Sendable, Equatable {
    /// The members.
    public var members: [ConversationMember]
    /// If a sequence was asked for: how many other members there are.
    public var others: Int?
    /// How many of them have got it.
    public var deliveredCount: Int?
    /// How many of them have read it.
    public var readCount: Int?
}

/// Somebody types in a conversation, or stopped.
public struct Typing: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// Who.
    public var user: String
    /// Whether it began.
    public var isActive: Bool
}

/// Whether a user is here.
public struct Presence: Sendable, Equatable {
    /// In which way.
    public enum State: String, Sendable {
        /// A device is in somebody's hands.
        case online
        /// Connected, nobody uses it.
        case away
        /// Not connected.
        case offline
    }

    /// Who.
    public var user: String
    /// How.
    public var state: State
    /// When an offline user was last here, if ever.
    public var lastSeen: Timestamp?
}
