import RoostWire

/// The search for a reason that lets one user see another's presence or profile: a conversation that both are in, or
/// for the profile, one that the other has left. It looks at the conversations of the user in fewer, one in each step,
/// and may go on in a later turn.
struct Sight {
    /// The state of the search.
    enum Outcome {
        /// The user may see the other because of this conversation, as long as both are in it; nil for oneself, for
        /// contacts, and for users visible to everyone.
        case allowed(by: Conversation?)
        case refused
        /// No step was left.
        case open

        fileprivate var isRefused: Bool {
            if case .refused = self { true } else { false }
        }
    }

    private let user: User
    private let other: User
    private let direct: Conversation?
    /// Whether the user may see the other whatever they share.
    private let isOpen: Bool
    /// The gate's verdict if they turn out not to know each other.
    private let verdict: GateVerdict
    /// Whether they know each other if they share a group.
    private let countsGroups: Bool
    /// They don't know each other, so the gate would refuse what the search has allowed, or has refused it.
    private(set) var isOfStrangers = false
    /// Whether a conversation counts that the other has left.
    private let countsFormer: Bool
    private var fewer: [Member] = []
    private var place = 0

    /// - Parameters:
    ///   - direct: the direct conversation of the two, if there is one.
    ///   - isOpen: the user may see the other whatever they share.
    ///   - verdict: what the gate says if they don't know each other.
    ///   - countsGroups: they do if they share a group.
    ///   - countsFormer: what the other has written stays in a conversation that it has left.
    init(
        of other: User, by user: User, direct: Conversation?, isOpen: Bool, _ verdict: GateVerdict = .open,
        countsGroups: Bool = true, countsFormer: Bool = false
    ) {
        self.user = user
        self.other = other
        self.direct = direct
        self.isOpen = isOpen
        self.verdict = verdict
        self.countsGroups = countsGroups
        self.countsFormer = countsFormer && !other.departures.isEmpty
        // Only the user's own conversations contain the former members.
        let isUser = self.countsFormer || user.conversations.count < other.conversations.count
        fewer = (isUser ? user : other).memberships
    }

    /// Whether both users are in a conversation, and want it, and it is there for the one who wants to see the other.
    static func isShared(_ conversation: Conversation, by one: User, and other: User) -> Bool {
        !conversation.isRequest && !conversation.isVeiled(from: one.number)
            && conversation.member(one.number) != nil
            && conversation.member(other.number) != nil
    }

    /// Goes on, one step for each conversation.
    mutating func search(_ steps: inout Int) -> Outcome {
        if user === other || isOpen && verdict == .open { return .allowed(by: nil) }
        if let direct, Sight.isShared(direct, by: user, and: other) { return .allowed(by: direct) }
        while place < fewer.count {
            guard steps > 0 else { return .open }
            steps -= 1
            let conversation = fewer[place].conversation
            place += 1
            if Sight.isShared(conversation, by: user, and: other) {
                let isEnough = verdict == .open || countsGroups
                return isEnough ? .allowed(by: conversation) : judge(.allowed(by: conversation))
            }
            if countsFormer, other.departures[conversation.number] != nil { return .allowed(by: conversation) }
        }
        return verdict == .open ? .refused : judge(isOpen ? .allowed(by: nil) : .refused)
    }

    /// Judges two users who don't know each other.
    private mutating func judge(_ outcome: Outcome) -> Outcome {
        // Whether it would be allowed otherwise says what the other one has set, so a closed gate answers the same.
        isOfStrangers = verdict == .closed || !outcome.isRefused
        return verdict == .closed ? .refused : outcome
    }
}
