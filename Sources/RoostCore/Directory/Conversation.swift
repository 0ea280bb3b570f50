import RoostWire

/// A conversation: members as committed, what is under way about them, and where its log ends. Loop thread only.
final class Conversation {
    let number: ConversationNumber
    let id: String
    let kind: ConversationKind
    var name: String
    /// Of a direct one: its two users, members or not.
    var pair: UserPair?
    /// In the order in which they joined.
    private(set) var members: [Member] = []
    private var membersByUser: [UserNumber: Member] = [:]
    private var knownAudience: Audience?
    /// Those who left and have not come back: each keeps a `Departure`, which goes with the conversation.
    var formerMembers: Set<UserNumber> = []
    /// Changes handed to the writer and not yet committed: what a command is judged by, but nothing is delivered by.
    private var pendingStandings: [UserNumber: PendingStanding] = [:]
    /// Counts how often anybody's standing may have changed: what was found before may not hold after.
    private(set) var standingChanges = 0

    var lastSequence = SequenceNumber.none
    var lastPosition = Position.start
    var lastTime = Timestamp.never
    var typers = Typing.Typers()
    var receiptPace = Receipts.Pace()
    /// The last member's leaving is under way: nobody can come back.
    var isEnding = false {
        didSet { standingChanges += 1 }
    }

    struct PendingStanding {
        var role: Role?
        var changesUnderWay: Int
    }

    /// Who asked for it by `conversation.create` while it was being created.
    var askers: [Asker] = []

    struct Asker {
        var session: Session
        var id: CommandID?
    }

    func takeAskers() -> [Asker] {
        defer { askers = [] }
        return askers
    }

    init(_ number: ConversationNumber, id: String, kind: ConversationKind, name: String) {
        self.number = number
        self.id = id
        self.kind = kind
        self.name = name
    }

    // MARK: As committed

    func member(_ user: UserNumber) -> Member? { membersByUser[user] }

    func admit(_ member: Member) {
        if membersByUser.updateValue(member, forKey: member.user.number) != nil {
            members.removeAll { $0.user === member.user }
        }
        members.append(member)
        standingChanges += 1
        forgetAudience()
        formerMembers.remove(member.user.number)
    }

    /// Takes members out in one pass, however many they are.
    func dismiss(_ users: [UserNumber]) -> [Member] {
        let gone = users.compactMap { membersByUser.removeValue(forKey: $0) }
        members.removeAll { membersByUser[$0.user.number] == nil }
        standingChanges += 1
        forgetAudience()
        for member in gone { formerMembers.insert(member.user.number) }
        return gone
    }

    /// Everybody's sessions. O(members) after a change, O(1) otherwise.
    var audience: Audience {
        if let knownAudience {
            assert(knownAudience.isTrue(of: members), "somebody came or went unnoticed")
            return knownAudience
        }
        let audience = Audience(of: members)
        knownAudience = audience
        return audience
    }

    /// A member, or a session of one, came or went.
    func forgetAudience() { knownAudience = nil }

    // MARK: As it will be when everything under way is committed

    /// The role by which a command of this user is judged; nil for whoever isn't a member.
    func standing(of user: UserNumber) -> Role? {
        if !pendingStandings.isEmpty, let pending = pendingStandings[user] { return pending.role }
        return membersByUser[user]?.role
    }

    /// Everybody's standing, in the order in which they joined, those who are under way last.
    func standings() -> [(user: UserNumber, role: Role)] {
        var all: [(user: UserNumber, role: Role)] = []
        for member in members {
            if let role = standing(of: member.user.number) { all.append((member.user.number, role)) }
        }
        for (user, pending) in pendingStandings.sorted(by: { $0.key.value < $1.key.value })
        where membersByUser[user] == nil {
            if let role = pending.role { all.append((user, role)) }
        }
        return all
    }

    /// How many members there will be. O(1) when nothing is under way.
    var standingCount: Int {
        var count = members.count
        for (user, pending) in pendingStandings {
            if membersByUser[user] == nil {
                count += pending.role == nil ? 0 : 1
            } else if pending.role == nil {
                count -= 1
            }
        }
        return count
    }

    /// Whether nobody is coming or going, and both are there who write to each other.
    var isAtRest: Bool { pendingStandings.isEmpty && !isEnding && (pair == nil || members.count == 2) }

    func expect(_ user: UserNumber, role: Role?) {
        standingChanges += 1
        pendingStandings[user, default: PendingStanding(role: role, changesUnderWay: 0)].role = role
        pendingStandings[user]?.changesUnderWay += 1
    }

    func settle(_ user: UserNumber) {
        standingChanges += 1
        guard var pending = pendingStandings[user] else { return }
        pending.changesUnderWay -= 1
        pendingStandings[user] = pending.changesUnderWay > 0 ? pending : nil
    }
}

/// A user's membership of one conversation, with how far the user has got.
final class Member {
    // Held, not borrowed: whoever still has to tell of a membership may outlive an erased conversation. Leaving it
    // breaks the cycle.
    let conversation: Conversation
    let user: User
    var role: Role
    /// Messages up to this one are not shown to it.
    let since: SequenceNumber
    /// Position of the event by which it joined.
    let joinedAt: Position
    var progress: Receipts.Progress
    var typing = Typing.Mark()

    init(
        _ user: User, of conversation: Conversation, role: Role, since: SequenceNumber, joinedAt: Position,
        watermark: Watermark = Watermark()
    ) {
        self.user = user
        self.conversation = conversation
        self.role = role
        self.since = since
        self.joinedAt = joinedAt
        progress = Receipts.Progress(watermark)
    }

    var watermark: Watermark { progress.watermark }

    /// False for who has left since, or is a member anew.
    var isCurrent: Bool { conversation.member(user.number) === self }

    /// The badge: the same on every device.
    var unread: Int64 { max(0, conversation.lastSequence.value - max(watermark.read.value, since.value)) }
}
