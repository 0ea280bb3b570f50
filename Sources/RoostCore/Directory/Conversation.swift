import RoostWire

/// A conversation: its members as committed, changes that are under way, and where its log ends. Loop thread only.
final class Conversation {
    let number: ConversationNumber
    let id: String
    let kind: ConversationKind
    private(set) var name: String
    /// The two users of a direct conversation, whether or not they are members now.
    private(set) var pair: UserPair?
    /// The members, in the order in which they joined.
    private(set) var members: [Member] = []
    private var membersByUser: [UserNumber: Member] = [:]
    private var knownAudience: Audience?
    /// Users who left and have not come back. Each of them keeps a `Departure`, which must go when the conversation
    /// does.
    private(set) var formerMembers: Set<UserNumber> = []
    /// Changes that were handed to the writer and are not committed yet. They count for judging commands, but not for
    /// delivery.
    private var pendingStandings: [UserNumber: PendingStanding] = [:]
    /// Counts every possible change of somebody's standing. What was looked up before a change may no longer be true.
    private(set) var standingChanges = 0

    /// Sequence of the last message.
    private(set) var lastSequence = SequenceNumber.none
    /// Position of the last durable event.
    private(set) var lastPosition = Position.start
    private(set) var lastTime = Timestamp.never
    var typers = Typing.Typers()
    var receiptPace = Receipts.Pace()
    /// The leaving of the last member is under way, so nobody can come back.
    private(set) var isEnding = false

    struct PendingStanding {
        var role: Role?
        var changesUnderWay: Int
    }

    /// Sessions that asked for it by `conversation.create` while it was being created.
    private var askers: [Asker] = []

    init(_ number: ConversationNumber, id: String, kind: ConversationKind, name: String) {
        self.number = number
        self.id = id
        self.kind = kind
        self.name = name
    }

    /// Sets the two users of a direct conversation.
    func connect(_ pair: UserPair) { self.pair = pair }

    // MARK: Askers

    /// Adds a session that is answered once the conversation exists. Returns false if `most` are waiting already.
    func add(_ asker: Asker, atMost most: Int) -> Bool {
        guard askers.count < most else { return false }
        askers.append(asker)
        return true
    }

    func takeAskers() -> [Asker] {
        defer { askers = [] }
        return askers
    }

    // MARK: As committed

    /// Moves the end of its log.
    func reach(_ sequence: SequenceNumber, _ position: Position, _ time: Timestamp) {
        lastSequence = sequence
        lastPosition = position
        lastTime = time
    }

    func rename(_ name: String) { self.name = name }

    func member(_ user: UserNumber) -> Member? { membersByUser[user] }

    func admit(_ member: Member, _ settled: borrowing Settled) {
        let former = membersByUser.updateValue(member, forKey: member.user.number)
        precondition(former == nil, "a user has one membership of a conversation")
        members.append(member)
        standingChanges += 1
        forgetAudience()
        formerMembers.remove(member.user.number)
    }

    /// Records that a user was a member and no longer is.
    func noteFormerMember(_ user: UserNumber) { formerMembers.insert(user) }

    /// Removes members in one pass, however many they are.
    func dismiss(_ users: [UserNumber], _ settled: borrowing Settled) -> [Member] {
        let gone = users.compactMap { membersByUser.removeValue(forKey: $0) }
        members.removeAll { membersByUser[$0.user.number] == nil }
        standingChanges += 1
        forgetAudience()
        for member in gone { formerMembers.insert(member.user.number) }
        return gone
    }

    /// The sessions of all members. O(members) after a change, O(1) otherwise.
    var audience: Audience {
        if let knownAudience {
            assert(knownAudience.isTrue(of: members), "somebody came or went unnoticed")
            return knownAudience
        }
        let audience = Audience(of: members)
        knownAudience = audience
        return audience
    }

    /// A member, or a member's session, came or left.
    func forgetAudience() { knownAudience = nil }

    // MARK: As it will be once every change on its way is committed

    /// The role by which a command of this user is judged; nil if the user isn't a member.
    func standing(of user: UserNumber) -> Role? {
        if !pendingStandings.isEmpty, let pending = pendingStandings[user] { return pending.role }
        return membersByUser[user]?.role
    }

    /// The standing of all members in the order in which they joined. Those whose joining is under way come last.
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

    /// How many members there will be. O(1) if no change is under way.
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

    /// Whether no change is under way and, in a direct conversation, both users are members.
    var isAtRest: Bool { pendingStandings.isEmpty && !isEnding && (pair == nil || members.count == 2) }

    /// The leaving of the last member was handed to the writer.
    func beginToEnd() {
        isEnding = true
        standingChanges += 1
    }

    /// A change of this user's standing was handed to the writer.
    func expect(_ user: UserNumber, role: Role?) {
        standingChanges += 1
        pendingStandings[user, default: PendingStanding(role: role, changesUnderWay: 0)].role = role
        pendingStandings[user]?.changesUnderWay += 1
    }

    /// The outcome of a change is known.
    func settle(_ user: UserNumber) {
        standingChanges += 1
        guard var pending = pendingStandings[user] else { return }
        pending.changesUnderWay -= 1
        pendingStandings[user] = pending.changesUnderWay > 0 ? pending : nil
    }
}
