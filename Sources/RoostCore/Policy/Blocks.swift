import RoostWire

/// A user's blocks, its own and those by others. It is stored in the user. Loop thread only.
struct Blocks {
    /// Users blocked by this one.
    private(set) var own: Set<UserNumber> = []
    /// Users who have blocked this one. Nothing that this one is sent may depend on it.
    private(set) var byOthers: Set<UserNumber> = []
    /// Counts the changes of both. An earlier look-up may be outdated after a change.
    private(set) var changes = 0

    mutating func note(_ other: UserNumber, _ isBlocked: Bool) {
        guard isBlocked != own.contains(other) else { return }
        if isBlocked { own.insert(other) } else { own.remove(other) }
        changes += 1
    }

    mutating func noteBlock(by other: UserNumber, _ isBlocked: Bool) {
        guard isBlocked != byOthers.contains(other) else { return }
        if isBlocked { byOthers.insert(other) } else { byOthers.remove(other) }
        changes += 1
    }
}

extension User {
    @inline(__always)
    func hasBlocked(_ other: UserNumber) -> Bool {
        !privacy.blocks.own.isEmpty && privacy.blocks.own.contains(other)
    }
}

extension Refusal {
    /// The two don't know each other: the answer of the gate and of requests. A block is never answered with it.
    static let noRelationship = Refusal(.noRelationship, Gatekeeper.reason)

    /// The refusal for the user who has set the block, and no other.
    static let blocked = Refusal(.blocked, "you have blocked this user; contact.unblock takes that away")
}

/// The effects of a block. For the blocked user every command goes the way that it goes without the block, and has the
/// same answer. Only the blocker gets less.
extension Policy {
    /// Whether one of the two has blocked the other.
    func isBlocked(_ one: User, _ other: User) -> Bool {
        one.hasBlocked(other.number) || other.hasBlocked(one.number)
    }

    /// Whether the user may have a conversation or a contact with the other one, or add it to a group: not with a user
    /// that it has blocked itself.
    func checkMeeting(of user: User, with other: User) throws(Refusal) {
        if user.hasBlocked(other.number) { throw .blocked }
    }

    /// Whether the user may say something in a conversation. Messages in a direct one from before a block stay there to
    /// read.
    @inline(__always)
    func checkSpeaking(by user: User, in conversation: Conversation) throws(Refusal) {
        try checkWaiting(by: user, in: conversation)
        guard let pair = conversation.pair, user.hasBlocked(pair.other(than: user.number)) else { return }
        throw .blocked
    }

    /// Whether the reader only gets a placeholder of an event in a group. All members see the list of members and the
    /// group's name.
    @inline(__always)
    func withholds(_ kind: EventKind, by sender: UserNumber, in conversation: Conversation, from reader: User) -> Bool {
        kind.isAboutMessage && conversation.kind == .group && reader.hasBlocked(sender)
    }
}

extension User {
    /// The other user of a direct conversation; `.none` in a group.
    @inline(__always)
    func peer(in conversation: Conversation) -> UserNumber { conversation.pair?.other(than: number) ?? .none }

    /// The user of a direct conversation who has blocked this one, and so never gets what it says now; `.none` if there
    /// is none.
    @inline(__always)
    func blocker(in conversation: Conversation) -> UserNumber {
        guard !privacy.blocks.byOthers.isEmpty else { return .none }
        let other = peer(in: conversation)
        return privacy.blocks.byOthers.contains(other) ? other : .none
    }

    /// Authors whose messages in this conversation the user sees only the places of, so that it can't name them.
    @inline(__always)
    func hiddenAuthors(in conversation: Conversation) -> Set<UserNumber> {
        conversation.kind == .group ? privacy.blocks.own : []
    }

    /// Present and former members that the user has blocked.
    func withheldReactions(in conversation: Conversation) -> [UserNumber] {
        let own = privacy.blocks.own
        guard conversation.kind == .group, !own.isEmpty else { return [] }
        let (now, former) = (conversation.members, conversation.formerMembers)
        let members =
            own.count < now.count
            ? own.filter { conversation.member($0) != nil } : Set(now.map(\.user.number).filter(own.contains))
        let gone =
            own.count < former.count ? own.filter { former[$0] != nil } : Set(former.keys.filter(own.contains))
        return members.union(gone).sorted { $0.value < $1.value }
    }
}

/// The members of a conversation who have blocked one of them. They are searched again after a user has come, gone or
/// blocked, so that a message looks at no member. It is stored in the member.
struct Blockers {
    private(set) var users: [User] = []
    private var memberChanges = -1
    private var blockChanges = -1

    /// Looks at those who have blocked the user, or at the members if they are fewer.
    mutating func find(_ user: User, in conversation: Conversation) {
        let blocks = user.privacy.blocks
        guard memberChanges != conversation.changes.ofMembers || blockChanges != blocks.changes else { return }
        memberChanges = conversation.changes.ofMembers
        blockChanges = blocks.changes
        if blocks.byOthers.count < conversation.members.count {
            // In a fixed order, so that a simulated run can be repeated.
            users = blocks.byOthers.compactMap { conversation.member($0)?.user }.sorted {
                $0.number.value < $1.number.value
            }
        } else {
            users = conversation.members.map(\.user).filter { blocks.byOthers.contains($0.number) }
        }
    }
}

extension Conversation {
    /// The members who have blocked this user, whose events they get only the places of; none in a direct conversation.
    func blockers(of user: User) -> [User] {
        guard kind == .group, !user.privacy.blocks.byOthers.isEmpty else { return [] }
        guard let member = member(user.number) else {
            // The author of erased messages may have left.
            var blockers = Blockers()
            blockers.find(user, in: self)
            return blockers.users
        }
        member.blockers.find(user, in: self)
        return member.blockers.users
    }
}
