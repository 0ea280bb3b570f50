import RoostWire

/// With whom a user has a block: those whom it has blocked, and those who have blocked it. It makes no difference which
/// of the two did, so that nobody is told. Loop thread only.
struct Blocks {
    private(set) var others: Set<UserNumber> = []
    /// Counts the changes. What was looked up before a change may no longer be true.
    private(set) var changes = 0

    /// Whether there is none, which is so of most.
    @inline(__always)
    var isEmpty: Bool { others.isEmpty }

    @inline(__always)
    func contains(_ other: UserNumber) -> Bool { others.contains(other) }

    mutating func note(_ other: UserNumber, _ isBlocked: Bool) {
        guard isBlocked != others.contains(other) else { return }
        if isBlocked { others.insert(other) } else { others.remove(other) }
        changes += 1
    }
}

extension User {
    func hasBlocked(_ other: User) -> Bool { privacy.exceptions[other.number] == .blocked }
}

extension Refusal {
    /// The two have nothing to do with each other. Why, nobody is told: it is what the gate says to strangers, too.
    static let noRelationship = Refusal(.noRelationship, Gatekeeper.reason)
}

/// What a block takes from both: they can't speak to each other, and see nothing of each other in groups.
extension Policy {
    /// Whether one of the two has blocked the other.
    func isBlocked(_ one: User, _ other: User) -> Bool { one.privacy.blocks.contains(other.number) }

    /// Whether the user may have a conversation with the other one, or put it into a group.
    func checkMeeting(of user: User, with other: User) throws(Refusal) {
        if isBlocked(user, other) { throw .noRelationship }
    }

    /// Whether the user may say something in a conversation. What was said in a direct one before a block stays there
    /// to read.
    @inline(__always)
    func checkSpeaking(by user: User, in conversation: Conversation) throws(Refusal) {
        try checkWaiting(by: user, in: conversation)
        guard !user.privacy.blocks.isEmpty, let pair = conversation.pair,
            user.privacy.blocks.contains(pair.other(than: user.number))
        else { return }
        throw .noRelationship
    }

    /// Whether the reader is only told the place of an event in a group, and not what it is. Who is in the group, and
    /// what it is called, all members see.
    @inline(__always)
    func withholds(_ kind: EventKind, by sender: UserNumber, in conversation: Conversation, from reader: User) -> Bool {
        !reader.privacy.blocks.isEmpty && kind.isAboutMessage && conversation.kind == .group
            && reader.privacy.blocks.contains(sender)
    }
}

/// The members of a conversation with whom one of them has a block. They are found again when somebody has come, gone
/// or blocked since, so that a message looks at nobody. It is stored in the member.
struct BlockedMembers {
    private(set) var users: [User] = []
    private var memberChanges = -1
    private var blockChanges = -1

    /// Looks at those with whom the user has a block, or at the members if they are fewer.
    mutating func find(_ user: User, in conversation: Conversation) {
        let blocks = user.privacy.blocks
        guard memberChanges != conversation.changes.ofMembers || blockChanges != blocks.changes else { return }
        memberChanges = conversation.changes.ofMembers
        blockChanges = blocks.changes
        if blocks.others.count < conversation.members.count {
            // In a fixed order, so that a simulated run can be repeated.
            users = blocks.others.compactMap { conversation.member($0)?.user }.sorted {
                $0.number.value < $1.number.value
            }
        } else {
            users = conversation.members.map(\.user).filter { blocks.contains($0.number) }
        }
    }
}

extension Conversation {
    /// The members with whom this user has a block; none in a direct conversation, where nothing is hidden.
    func blockedMembers(of user: User) -> [User] {
        guard kind == .group, !user.privacy.blocks.isEmpty else { return [] }
        guard let member = member(user.number) else {
            // Whose messages are erased may have left.
            var blocked = BlockedMembers()
            blocked.find(user, in: self)
            return blocked.users
        }
        member.blocked.find(user, in: self)
        return member.blocked.users
    }

    /// Members, and those who were some, with whom the user has a block.
    func withheldReactions(from user: User) -> [UserNumber] {
        let members = blockedMembers(of: user).map(\.number)
        guard kind == .group, !user.privacy.blocks.isEmpty else { return members }
        let former =
            user.privacy.blocks.others.count < formerMembers.count
            ? Array(user.privacy.blocks.others.filter { formerMembers[$0] != nil })
            : formerMembers.keys.filter { user.privacy.blocks.contains($0) }
        return members + former.sorted { $0.value < $1.value }
    }
}
