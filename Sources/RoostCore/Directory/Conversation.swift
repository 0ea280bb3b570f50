import RoostWire

/// A conversation: its members as committed, changes that are under way, and where its log ends. Loop thread only.
final class Conversation {
    let number: ConversationNumber
    let id: String
    let kind: ConversationKind
    private(set) var appearance: Appearance
    var name: String { appearance.name }
    /// Number of changes of the appearance that were handed to the writer and are not committed yet.
    private var appearancesUnderWay = 0
    /// When it was created; `.never` if that isn't known.
    private(set) var createdAt = Timestamp.never
    /// The two users of a direct conversation, whether or not they are members now.
    private(set) var pair: UserPair?
    var opening: Opening
    private var list = MemberTable()
    private let roll: Roll
    private var knownAudience = Audience()
    /// Users who left and have not come back. Each of them keeps a `Departure`, which must go when the conversation
    /// does.
    private(set) var formerMembers = OrderedTable<UserNumber, Void>()
    /// Changes that were handed to the writer and are not committed yet. They count for judging commands, but not for
    /// delivery.
    private var pendingStandings: [UserNumber: PendingStanding] = [:]
    private(set) var changes = Changes()

    private var end = End()
    /// The end of the conversation for a user who doesn't get anything behind it.
    var veiling = Veiling()
    /// Position of the last edit, deletion or reaction.
    private(set) var lastChange = Position.start
    var typers = Typing.Typers()
    var receiptPace = Receipts.Pace()
    var counts = GroupCounts.Count()
    var badge = Badges.Mark()
    var lifetime = Lifetime()
    var highlights = Highlights()
    var moderation = Moderation()
    /// The leaving of the last member is under way, so no user can come back.
    private(set) var isEnding = false

    /// Where its log ends.
    struct End {
        var sequence = SequenceNumber.none
        var position = Position.start
        var time = Timestamp.never
    }

    /// Counters that show whether an earlier look-up may be outdated.
    struct Changes {
        /// Counts every possible change of a role.
        fileprivate(set) var ofStandings = 0
        /// Counts every joining and leaving.
        fileprivate(set) var ofMembers = 0
    }

    struct PendingStanding {
        /// The role if the newest change is stored.
        var role: MemberRole?
        /// All roles that the user may have in the end. A change whose key may have been used before adds one, and a
        /// certain one leaves only its own.
        var outcomes: Outcomes
        var changesUnderWay: Int
    }

    /// A set of roles, and of nil, which stands for no member.
    struct Outcomes {
        private var bits: UInt8 = 0

        init() {}

        init(_ role: MemberRole?) { insert(role) }

        /// Whether there is only one.
        var isCertain: Bool { bits.nonzeroBitCount == 1 }

        func contains(_ role: MemberRole?) -> Bool { bits & Self.bit(of: role) != 0 }

        mutating func insert(_ role: MemberRole?) { bits |= Self.bit(of: role) }

        private static func bit(of role: MemberRole?) -> UInt8 { 1 << (role?.rawValue ?? 0) }
    }

    init(
        _ number: ConversationNumber, id: String, kind: ConversationKind, name: String, opener: User? = nil,
        _ roll: Roll
    ) {
        self.number = number
        self.id = id
        self.kind = kind
        appearance = Appearance(name: name)
        opening = Opening(opener: opener)
        self.roll = roll
    }

    /// Sets the two users of a direct conversation.
    func connect(_ pair: UserPair) { self.pair = pair }

    // MARK: As committed

    /// Moves the end of its log.
    func reach(_ sequence: SequenceNumber, _ position: Position, _ time: Timestamp) {
        end = End(sequence: sequence, position: position, time: time)
    }

    /// An event follows that is withheld from this user, before `reach` says so.
    func withhold(from user: UserNumber) {
        if veiling.veil?.user != user { veiling.veil = Veil(user, after: end.sequence, end.position, end.time) }
    }

    /// Ends the veil because of an event that isn't withheld, or not from the veil's user. It is `reach`ed later.
    /// - Returns: the ended veil; nil if there was none.
    func lift(except user: UserNumber, at position: Position, _ settled: @autoclosure () -> Settled) -> Veil? {
        guard let veil = veiling.veil, veil.user != user else { return nil }
        veiling.veil = nil
        guard let member = list[veil.user], veil.hidesAll(since: member.joinedAt) else { return veil }
        _ = settled()
        list.beginAnew(veil.user, at: position, after: end.sequence)
        knownAudience.forget()
        return veil
    }

    /// Whether the conversation isn't there for the user, because the other one has opened it while it was blocked.
    @inline(__always)
    func isVeiled(from user: UserNumber) -> Bool {
        guard !veiling.isEmpty else { return false }
        return veiling.hidesAll(from: user, since: list[user]?.joinedAt)
    }

    /// Where it ends for this user.
    @inline(__always)
    func end(for user: UserNumber) -> End {
        guard let veil = veiling.veil, veil.user == user else { return end }
        return End(sequence: veil.sequence, position: veil.position, time: veil.time)
    }

    /// Sequence of the last message.
    var lastSequence: SequenceNumber { end.sequence }

    /// Position of the last durable event.
    var lastPosition: Position { end.position }

    /// Time of the same.
    var lastTime: Timestamp { end.time }

    /// One of its messages was changed.
    func noteChange(at position: Position) { lastChange = position }

    /// A group has another name, photo or description.
    func show(_ change: ConversationChange) { appearance.apply(change) }

    /// Takes the stored state.
    func load(_ appearance: Appearance, createdAt time: Timestamp, _ veil: Veil?) {
        self.appearance = appearance
        veiling.veil = veil
        createdAt = time
    }

    /// The event that creates it was stored.
    func begin(at time: Timestamp) { createdAt = time }

    /// The members, in the order in which they joined.
    var members: [Member] { list.all }

    func member(_ user: UserNumber) -> Member? { list[user] }

    /// Prepares for this number of further members.
    func reserve(_ count: Int) { list.reserve(count) }

    /// Prepares for this number of further changes under way.
    func reserveChanges(_ count: Int) {
        if count > 1 { pendingStandings.reserveCapacity(pendingStandings.count + count) }
    }

    func admit(_ member: Member, _ settled: borrowing Settled) {
        list.append(member)
        changes.ofStandings += 1
        forgetAudience()
        formerMembers[member.user.number] = nil
    }

    /// Records that a user was a member and no longer is.
    func noteFormerMember(_ user: UserNumber) { formerMembers[user] = () }

    /// Gives a member a new role.
    func setRole(_ role: MemberRole, of user: UserNumber) { list.setRole(role, of: user) }

    /// Where the members with this ordinal or a higher one begin.
    func place(of ordinal: Int64) -> Int { list.place(of: ordinal) }

    /// The ordinal of the first member who joined at this position or later.
    func ordinal(from position: Position) -> Int64 { list.ordinal(from: position) }

    /// Removes members in one pass, however many they are.
    func dismiss(_ users: [UserNumber], _ settled: borrowing Settled) -> [Member] {
        let gone = list.remove(users)
        changes.ofStandings += 1
        forgetAudience()
        for member in gone { noteFormerMember(member.user.number) }
        return gone
    }

    /// The last message that the user may not see. As long as a return to a direct conversation may be under way, that
    /// is the newest one.
    func hidden(from user: UserNumber) -> SequenceNumber {
        guard let member = list[user], pair == nil || isSurely(user) && !isVeiled(from: user) else {
            return lastSequence
        }
        return member.since
    }

    /// Whether the user may name a message, which may still be on its way to the log. A user whose return to a direct
    /// conversation may be under way may not: earlier messages in the log will be hidden.
    func mayName(_ sequence: SequenceNumber, _ user: User) -> Bool {
        guard let member = list[user.number],
            pair == nil || isSurely(user.number) && !isVeiled(from: user.number)
        else { return false }
        return sequence > member.since
    }

    /// Checks that there is such a message and the user may see it.
    /// - Throws: `notFound`.
    func check(_ sequence: SequenceNumber, for user: User) throws(Refusal) {
        guard sequence > hidden(from: user.number), sequence <= lastSequence else {
            throw Refusal(.notFound, "sequence: no such message in this conversation")
        }
    }

    /// The sessions of all members. After a member or any session has come or gone, all members are looked at: some ten
    /// nanoseconds each.
    var audience: Audience {
        if knownAudience.changes != roll.changes {
            roll.noteSearch(of: list.count)
            knownAudience.find(list, roll)
        }
        assert(knownAudience.isTrue(of: members), "somebody came or went unnoticed")
        return knownAudience
    }

    /// The number of sessions of all members. As `audience`.
    var audienceCount: Int { audience.count }

    /// Calls `body` for the members who are here, from the one with this ordinal on, as long as steps are left: one for
    /// each of them, and one for some who are away.
    /// - Returns: the ordinal of the next member to look at; nil if none is left.
    func visitPresent(from ordinal: Int64, _ steps: inout Int, _ body: (Member) -> Void) -> Int64? {
        var place = list.place(of: ordinal)
        var away = 0
        while place < list.count {
            guard steps > 0 else { return list.places[place].ordinal }
            if roll.presence(of: list.places[place].seat) == .none {
                away += 1
                if away % Roll.placesPerStep == 0 { steps -= 1 }
            } else {
                steps -= 1
                body(list.all[place])
            }
            place += 1
        }
        return nil
    }

    /// A member came or left.
    private func forgetAudience() {
        knownAudience.forget()
        changes.ofMembers += 1
    }

    // MARK: As it will be once every change on its way is committed

    /// The role by which a command of this user is judged; nil if the user isn't a member.
    func standing(of user: UserNumber) -> MemberRole? {
        if !pendingStandings.isEmpty, let pending = pendingStandings[user] { return pending.role }
        return list[user]?.role
    }

    /// The standing of the first members in the order in which they joined. Those whose joining is under way come last.
    func standings(atMost most: Int = .max) -> [(user: UserNumber, role: MemberRole)] {
        var all: [(user: UserNumber, role: MemberRole)] = []
        for member in members {
            guard all.count < most else { return all }
            if let role = standing(of: member.user.number) { all.append((member.user.number, role)) }
        }
        guard all.count < most else { return all }
        for number in pendingStandings.keys.map(\.value).sorted() where all.count < most {
            let user = UserNumber(number)
            if list[user] == nil, let role = pendingStandings[user]?.role { all.append((user, role)) }
        }
        return all
    }

    /// The next owner when this user leaves: the admin who joined first, or else the member who did.
    func heir(of user: UserNumber) -> UserNumber? {
        let raised = pendingStandings.filter { $0.key != user && $0.value.role == .admin }
        var admins = raised.compactMap { list[$0.key] }
        let admin = list.leaders.first { $0.user.number != user && standing(of: $0.user.number) == .admin }
        if let admin { admins.append(admin) }
        if let first = admins.min(by: { $0.ordinal < $1.ordinal }) { return first.user.number }
        if let joining = raised.keys.min(by: { $0.value < $1.value }) { return joining }
        return standings(atMost: 2).first { $0.user != user }?.user
    }

    /// Whether no change of its appearance is under way.
    var isAppearanceSettled: Bool { appearancesUnderWay == 0 }

    /// A change of the appearance was handed to the writer.
    func expectAppearance() { appearancesUnderWay += 1 }

    /// The outcome of such a change is known.
    func settleAppearance() { appearancesUnderWay -= 1 }

    /// Whether the user's role will surely be `standing(of:)`.
    func isRoleCertain(of user: UserNumber) -> Bool { pendingStandings[user]?.outcomes.isCertain ?? true }

    /// Whether it is sure that the user will be a member, or that the user won't.
    func isMembershipCertain(of user: UserNumber) -> Bool {
        guard !pendingStandings.isEmpty else { return true }
        // A user who has left may come back, unless the conversation ends.
        guard !isEnding || isCertain else { return false }
        guard let outcomes = pendingStandings[user]?.outcomes else { return true }
        return outcomes.isCertain || !outcomes.contains(nil)
    }

    /// Whether `standings` will surely be so.
    var isCertain: Bool { pendingStandings.values.allSatisfy { $0.outcomes.isCertain } }

    /// Number of members once all changes are stored. O(1) if no change is under way.
    var standingCount: Int {
        var count = members.count
        for (user, pending) in pendingStandings {
            if list[user] == nil {
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
    func isSurely(_ user: UserNumber) -> Bool { list[user] != nil && pendingStandings[user] == nil }

    /// The leaving of the last member was handed to the writer.
    func beginToEnd() {
        isEnding = true
        changes.ofStandings += 1
    }

    /// It was not stored that the last member leaves. No other change can be under way, because none follows an end.
    func goOn() {
        isEnding = false
        pendingStandings.removeAll()
        veiling.settle()
        changes.ofStandings += 1
    }

    /// A change of this user's standing was handed to the writer.
    func expect(_ user: UserNumber, role: MemberRole?, isCertain: Bool) {
        changes.ofStandings += 1
        let known = pendingStandings[user]
        var outcomes = isCertain ? Outcomes() : known?.outcomes ?? Outcomes(list[user]?.role)
        outcomes.insert(role)
        pendingStandings[user] = PendingStanding(
            role: role, outcomes: outcomes, changesUnderWay: (known?.changesUnderWay ?? 0) + 1)
    }

    /// The account of one of two users was deleted: what is written from now on is judged anew.
    func noteDeletion() { changes.ofStandings += 1 }

    /// The outcome of a change is known.
    func settle(_ user: UserNumber) {
        changes.ofStandings += 1
        guard var pending = pendingStandings[user] else { return }
        pending.changesUnderWay -= 1
        pendingStandings[user] = pending.changesUnderWay > 0 ? pending : nil
        if pending.changesUnderWay == 0 { veiling.settle(user) }
        // Gives back the memory that a command with a thousand names took.
        if pendingStandings.isEmpty { pendingStandings = [:] }
    }
}
