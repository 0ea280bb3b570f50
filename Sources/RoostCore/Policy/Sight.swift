import RoostWire

/// The search for what lets one user see another's presence or profile: a conversation that both are in, or for the
/// profile, one that the other has left. It looks at the conversations of whoever is in fewer, one in each step, and
/// may go on in a later turn.
struct Sight {
    /// How far the search has come.
    enum Outcome {
        /// The user may see the other because of this conversation, as long as both are in it; nil for oneself, and for
        /// whom everybody may see.
        case allowed(by: Conversation?)
        case refused
        /// No step was left.
        case open
    }

    private let user: User
    private let other: User
    private let direct: Conversation?
    /// Whether everybody may see the other.
    private let isOpen: Bool
    /// Whether a conversation counts that the other has left.
    private let countsFormer: Bool
    private var fewer: [Member] = []
    private var place = 0

    /// - Parameters:
    ///   - direct: the direct conversation of the two, if there is one.
    ///   - isOpen: everybody may see the other.
    ///   - countsFormer: what the other has written stays in a conversation that it has left.
    init(of other: User, by user: User, direct: Conversation?, isOpen: Bool, countsFormer: Bool = false) {
        self.user = user
        self.other = other
        self.direct = direct
        self.isOpen = isOpen
        self.countsFormer = countsFormer && !other.departures.isEmpty
        // Only the user's own conversations tell whom they had.
        let isUser = self.countsFormer || user.conversations.count < other.conversations.count
        fewer = (isUser ? user : other).memberships
    }

    /// Whether both users are in a conversation.
    static func isShared(_ conversation: Conversation, by one: User, and other: User) -> Bool {
        conversation.member(one.number) != nil && conversation.member(other.number) != nil
    }

    /// Goes on, one step for each conversation.
    mutating func search(_ steps: inout Int) -> Outcome {
        if user === other || isOpen { return .allowed(by: nil) }
        if let direct, Sight.isShared(direct, by: user, and: other) { return .allowed(by: direct) }
        while place < fewer.count {
            guard steps > 0 else { return .open }
            steps -= 1
            let conversation = fewer[place].conversation
            place += 1
            if Sight.isShared(conversation, by: user, and: other) { return .allowed(by: conversation) }
            if countsFormer, other.departures[conversation.number] != nil { return .allowed(by: conversation) }
        }
        return .refused
    }
}
