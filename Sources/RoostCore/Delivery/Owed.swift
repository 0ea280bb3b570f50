import RoostWire

/// An ephemeral event that a slow session has not got. It names only the subject, whose state is read when it is sent.
enum Owed: Hashable {
    case typing(ConversationNumber, UserNumber)
    case severalTyping(ConversationNumber)
    case receipt(ConversationNumber, UserNumber)
    case presence(UserNumber)
    /// A user's profile.
    case profile(UserNumber)
    /// The number of online members of a conversation.
    case count(ConversationNumber)
    /// The user's own status.
    case status
    /// The user's own privacy.
    case privacy
    /// Another user's relation to the user.
    case contact(UserNumber)
    /// The user's own prospects.
    case prospects
    /// The number of users who wait for a group that the user leads; `.none`: of the groups that it waits for.
    case joins(ConversationNumber)
    /// The user's unread count.
    case badge
}

extension Owed: Comparable {
    private var order: (Int, Int32, Int32) {
        switch self {
        case .typing(let conversation, let user): (0, conversation.value, user.value)
        case .severalTyping(let conversation): (1, conversation.value, 0)
        case .receipt(let conversation, let user): (2, conversation.value, user.value)
        case .presence(let user): (3, 0, user.value)
        case .count(let conversation): (4, conversation.value, 0)
        case .status: (5, 0, 0)
        case .privacy: (6, 0, 0)
        case .profile(let user): (7, 0, user.value)
        case .contact(let user): (8, 0, user.value)
        case .prospects: (9, 0, 0)
        case .joins(let conversation): (10, conversation.value, 0)
        case .badge: (11, 0, 0)
        }
    }

    /// Ordered by kind, then by subject.
    static func < (one: Owed, other: Owed) -> Bool { one.order < other.order }
}
