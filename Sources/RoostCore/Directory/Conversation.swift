import RoostWire

/// A conversation: its members as committed, changes that are under way, and where its log ends. Loop thread only.
final class Conversation {
    let number: ConversationNumber
    let id: String
    let kind: ConversationKind
    private(set) var name: String
    /// The newest name that was handed to the writer, whether it will surely be stored, and how many renames are under
    /// way.
    private var pendingName: (name: String, isCertain: Bool, underWay: Int)?
    /// The two users of a direct conversation, whether or not they are members now.
    private(set) var pair: UserPair?
    /// Who opened it; nil if that isn't known.
    private(set) var opener: User?
    /// Whether anybody but the opener has written to it or changed something in it.
    private(set) var isAnswered = false
    /// The members, in the order in which they joined.
    private(set) var members: [Member] = []
    /// The ordinal of each, in the same order, so that one is found without looking at the others.
    private var ordinals: [Int64] = []
    private var nextOrdinal: Int64 = 0
    /// Admins and the owner, in the same order.
    private var leaders: [Member] = []
    private var membersByUser: [UserNumber: Member] = [:]
    private var knownAudience: Audience?
    /// Users who left and have not come back. Each of them keeps a `Departure`, which must go when the conversation
    /// does.
    private(set) var formerMembers: Set<UserNumber> = []
    /// The same in the order in which they left, with some who have come back since.
    private(set) var leavers: [UserNumber] = []
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
    /// Position of the last edit, deletion or reaction.
    private(set) var lastChange = Position.start
    var typers = Typing.Typers()
    var receiptPace = Receipts.Pace()
    /// The leaving of the last member is under way, so nobody can come back.
    private(set) var isEnding = false

    struct PendingStanding {
        /// The role if the newest change is stored.
        var role: Role?
        /// All roles that the user may have in the end; nil stands for no member. A change whose key may have been used
        /// before adds one, and a certain one leaves only its own.
        var outcomes: [Role?]
        var changesUnderWay: Int
    }

    init(_ number: ConversationNumber, id: String, kind: ConversationKind, name: String, opener: User? = nil) {
        self.number = number
        self.id = id
        self.kind = kind
        self.name = name
        self.opener = opener
    }

    /// Sets the two users of a direct conversation.
    func connect(_ pair: UserPair) { self.pair = pair }

    // MARK: As committed

    /// Moves the end of its log.
    func reach(_ sequence: SequenceNumber, _ position: Position, _ time: Timestamp) {
        lastSequence = sequence
        lastPosition = position
        lastTime = time
    }

    /// One of its messages was changed.
    func noteChange(at position: Position) { lastChange = position }

    func rename(_ name: String) { self.name = name }

    func member(_ user: UserNumber) -> Member? { membersByUser[user] }

    func admit(_ member: Member, _ settled: borrowing Settled) {
        let former = membersByUser.updateValue(member, forKey: member.user.number)
        precondition(former == nil, "a user has one membership of a conversation")
        member.ordinal = nextOrdinal
        nextOrdinal += 1
        members.append(member)
        ordinals.append(member.ordinal)
        if member.role >= .admin { leaders.append(member) }
        standingChanges += 1
        forgetAudience()
        formerMembers.remove(member.user.number)
    }

    /// Records that a user was a member and no longer is.
    func noteFormerMember(_ user: UserNumber) {
        formerMembers.insert(user)
        leavers.append(user)
        // Who leaves again and again stands there once.
        guard leavers.count > 2 * formerMembers.count + 16 else { return }
        var known: Set<UserNumber> = []
        leavers.removeAll { !formerMembers.contains($0) || !known.insert($0).inserted }
    }

    /// Somebody other than the opener has written to it or changed something in it.
    func noteAnswer() { isAnswered = true }

    /// Gives a member a new role.
    func setRole(_ role: Role, of user: UserNumber) {
        guard let member = membersByUser[user] else { return }
        member.become(role)
        leaders.removeAll { $0 === member }
        guard role >= .admin else { return }
        leaders.insert(member, at: leaders.firstIndex { $0.ordinal > member.ordinal } ?? leaders.endIndex)
    }

    /// Where the members with this ordinal or a higher one begin.
    func place(of ordinal: Int64) -> Int { firstPlace { self.ordinals[$0] >= ordinal } }

    /// The ordinal of the first member who joined at this position or later.
    func ordinal(from position: Position) -> Int64 {
        let place = firstPlace { self.members[$0].joinedAt >= position }
        return place < ordinals.count ? ordinals[place] : nextOrdinal
    }

    /// The first place for which `isBehind` is true, as it is for all that follow.
    private func firstPlace(_ isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Removes members in one pass, however many they are.
    func dismiss(_ users: [UserNumber], _ settled: borrowing Settled) -> [Member] {
        let gone = users.compactMap { membersByUser.removeValue(forKey: $0) }
        let places = RangeSet(gone.map { place(of: $0.ordinal) }, within: members)
        members.removeSubranges(places)
        ordinals.removeSubranges(places)
        if gone.contains(where: { $0.role >= .admin }) {
            leaders.removeAll { membersByUser[$0.user.number] == nil }
        }
        standingChanges += 1
        forgetAudience()
        for member in gone { noteFormerMember(member.user.number) }
        return gone
    }

    /// The last message that the user may not see. As long as a return to a direct conversation may be under way, that
    /// is the newest one.
    func hidden(from user: UserNumber) -> SequenceNumber {
        guard let member = membersByUser[user], pair == nil || isSurely(user) else { return lastSequence }
        return member.since
    }

    /// Whether the user may name a message, which may still be on its way to the log. Nobody may whose return to a
    /// direct conversation may be under way: what is before it in the log will be hidden.
    func mayName(_ sequence: SequenceNumber, _ user: User) -> Bool {
        guard let member = membersByUser[user.number], pair == nil || isSurely(user.number) else { return false }
        return sequence > member.since
    }

    /// Checks that there is such a message and the user may see it.
    /// - Throws: `notFound`.
    func check(_ sequence: SequenceNumber, for user: User) throws(Refusal) {
        guard sequence > hidden(from: user.number), sequence <= lastSequence else {
            throw Refusal(.notFound, "sequence: no such message in this conversation")
        }
    }

    /// The sessions of all members. O(members) after a change, O(1) otherwise.
    var audience: Audience {
        if let knownAudience {
            assert(knownAudience.isTrue(of: members), "somebody came or went unnoticed")
            return knownAudience
        }
        let audience = Audience(of: members)
        for member in members { member.user.noteListening(member) }
        knownAudience = audience
        return audience
    }

    /// The number of sessions of all members. As `audience`.
    var audienceCount: Int { (knownAudience ?? audience).count }

    /// A member, or a member's session, came or left.
    func forgetAudience() { knownAudience = nil }

    // MARK: As it will be once every change on its way is committed

    /// The role by which a command of this user is judged; nil if the user isn't a member.
    func standing(of user: UserNumber) -> Role? {
        if !pendingStandings.isEmpty, let pending = pendingStandings[user] { return pending.role }
        return membersByUser[user]?.role
    }

    /// The standing of the first members in the order in which they joined. Those whose joining is under way come last.
    func standings(atMost most: Int = .max) -> [(user: UserNumber, role: Role)] {
        var all: [(user: UserNumber, role: Role)] = []
        for member in members where all.count < most {
            if let role = standing(of: member.user.number) { all.append((member.user.number, role)) }
        }
        guard all.count < most else { return all }
        for (user, pending) in pendingStandings.sorted(by: { $0.key.value < $1.key.value })
        where membersByUser[user] == nil {
            if let role = pending.role { all.append((user, role)) }
        }
        return all
    }

    /// Who becomes owner when this user leaves: the admin who joined first, or else the member who did.
    func heir(of user: UserNumber) -> UserNumber? {
        let raised = pendingStandings.filter { $0.key != user && $0.value.role == .admin }
        var admins = raised.compactMap { membersByUser[$0.key] }
        let admin = leaders.first { $0.user.number != user && standing(of: $0.user.number) == .admin }
        if let admin { admins.append(admin) }
        if let first = admins.min(by: { $0.ordinal < $1.ordinal }) { return first.user.number }
        if let joining = raised.keys.min(by: { $0.value < $1.value }) { return joining }
        return standings(atMost: 2).first { $0.user != user }?.user
    }

    /// The name with which a change that is submitted now will find it.
    var standingName: String { pendingName?.name ?? name }

    /// Whether it will surely be called `standingName`.
    var isNameCertain: Bool { pendingName?.isCertain ?? true }

    /// A new name was handed to the writer.
    func expect(name: String, isCertain: Bool) { pendingName = (name, isCertain, (pendingName?.underWay ?? 0) + 1) }

    /// The outcome of a new name is known.
    func settleName() {
        guard let pending = pendingName else { return }
        pendingName = pending.underWay > 1 ? (pending.name, pending.isCertain, pending.underWay - 1) : nil
    }

    /// Whether the user's role will surely be `standing(of:)`.
    func isRoleCertain(of user: UserNumber) -> Bool { (pendingStandings[user]?.outcomes.count ?? 1) == 1 }

    /// Whether it is sure that the user will be a member, or that the user won't.
    func isMembershipCertain(of user: UserNumber) -> Bool {
        guard !pendingStandings.isEmpty else { return true }
        // Somebody who has left may come back, unless the conversation ends.
        guard !isEnding || isCertain else { return false }
        guard let outcomes = pendingStandings[user]?.outcomes else { return true }
        return outcomes.count == 1 || !outcomes.contains(nil)
    }

    /// Whether `standings` will surely be so.
    var isCertain: Bool { pendingStandings.values.allSatisfy { $0.outcomes.count == 1 } }

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

    /// Whether the event that creates it isn't stored.
    var isUnstored: Bool { members.isEmpty && formerMembers.isEmpty }

    /// Whether it isn't stored, and nothing that creates it is under way.
    var isUnborn: Bool { isUnstored && pendingStandings.isEmpty }

    /// Whether the user is a member and will be one whatever becomes of the changes under way.
    func isSurely(_ user: UserNumber) -> Bool { membersByUser[user] != nil && pendingStandings[user] == nil }

    /// The leaving of the last member was handed to the writer.
    func beginToEnd() {
        isEnding = true
        standingChanges += 1
    }

    /// It was not stored that the last member leaves. No other change can be under way, because none follows an end.
    func goOn() {
        isEnding = false
        pendingStandings.removeAll()
        standingChanges += 1
    }

    /// A change of this user's standing was handed to the writer.
    func expect(_ user: UserNumber, role: Role?, isCertain: Bool) {
        standingChanges += 1
        let known = pendingStandings[user]
        var outcomes = isCertain ? [] : known?.outcomes ?? [membersByUser[user]?.role]
        if !outcomes.contains(role) { outcomes.append(role) }
        pendingStandings[user] = PendingStanding(
            role: role, outcomes: outcomes, changesUnderWay: (known?.changesUnderWay ?? 0) + 1)
    }

    /// The outcome of a change is known.
    func settle(_ user: UserNumber) {
        standingChanges += 1
        guard var pending = pendingStandings[user] else { return }
        pending.changesUnderWay -= 1
        pendingStandings[user] = pending.changesUnderWay > 0 ? pending : nil
    }
}
