import RoostWire

/// An ephemeral event that a slow session has not been told: only what it is about, its state is read when told.
enum Owed: Hashable {
    case typing(ConversationNumber, UserNumber)
    case receipt(ConversationNumber, UserNumber)
    case presence(UserNumber)
}

extension Owed: Comparable {
    private var order: (Int, Int32, Int32) {
        switch self {
        case .typing(let conversation, let user): (0, conversation.value, user.value)
        case .receipt(let conversation, let user): (1, conversation.value, user.value)
        case .presence(let user): (2, 0, user.value)
        }
    }

    /// By kind, then by what it is about.
    static func < (one: Owed, other: Owed) -> Bool { one.order < other.order }
}
