import RoostWire

/// A conversation: members as committed, what is under way about them, and where its log ends. Loop thread only.
final class Conversation {
    let number: ConversationNumber
    let id: String
    let kind: ConversationKind
    private(set) var name: String
    /// The two users of a direct conversation, members or not.
    private(set) var pair: UserPair?
    /// In the order in which they joined.
    private(set) var members: [Member] = []
    private var membersByUser: [UserNumber: Member] = [:]
    private var knownAudience: Audience?
    /// Those who left and have not come back: each keeps a `Departure`, which goes with the conversation.
    private(set) var formerMembers: Set<UserNumber> = []
    /// Changes handed to the writer and not yet committed: what a command is judged by, but nothing is delivered by.
    private var pendingStandings: [UserNumber: PendingStanding] = [:]
    /// Counts how often anybody's standing may have changed: what was found before may not hold after.
    private(set) var standingChanges = 0

    /// Of the last message.
    private(set) var lastSequence = SequenceNumber.none
    /// Of the last durable event.
    private(set) var lastPosition = Position.start
    private(set) var lastTime = Timestamp.never
    var typers = Typing.Typers()
    var receiptPace = Receipts.Pace()
    /// The last member's leaving is under way: nobody can come back.
    private(set) var isEnding = false

    struct PendingStanding {
        var role: Role?
        var changesUnderWay: Int
    }

    /// Who asked for it by `conversation.create` while it was being created.
    private var askers: [Asker] = []

    struct Asker {
        var session: Session
        var id: CommandID?
    }

    init(_ number: ConversationNumber, id: String, kind: ConversationKind, name: String) {
        self.number = number
        self.id = id
        self.kind = kind
        self.name = name
    }

    /// Whose direct conversation it is.
    func connect(_ pair: UserPair) { self.pair = pair }

    // MARK: Askers

    /// Has the session answered when the conversation is there. False if so many wait already.
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

    /// Where its log ends.
    func reach(_ sequence: SequenceNumber, _ position: Position, _ time: Timestamp) {
        lastSequence = sequence
        lastPosition = position
        lastTime = time
    }

    func rename(_ name: String) { self.name = name }

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

    /// Somebody was a member, and isn't any more.
    func noteFormerMember(_ user: UserNumber) { formerMembers.insert(user) }

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

    /// The last member's leaving was handed in.
    func beginToEnd() {
        isEnding = true
        standingChanges += 1
    }

    /// A change of this user's standing was handed in.
    func expect(_ user: UserNumber, role: Role?) {
        standingChanges += 1
        pendingStandings[user, default: PendingStanding(role: role, changesUnderWay: 0)].role = role
        pendingStandings[user]?.changesUnderWay += 1
    }

    /// What became of a change is known.
    func settle(_ user: UserNumber) {
        standingChanges += 1
        guard var pending = pendingStandings[user] else { return }
        pending.changesUnderWay -= 1
        pendingStandings[user] = pending.changesUnderWay > 0 ? pending : nil
    }
}
