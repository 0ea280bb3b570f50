import DequeModule
import RoostWire

/// Numbers of online members of conversations, for sessions that watch them. Only watched conversations are counted: a
/// user has a list of the memberships that count, so a user in thousands of unwatched conversations costs nothing. Each
/// of these memberships knows whether it is counted as online, so looking at one twice does no harm, and nothing is
/// lost or counted twice however a count, changes and ends overlap.
///
/// A session gets a count only if it differs from the last one it was sent, and only at ticks that don't depend on what
/// has changed. Otherwise the frames, or their times, would reveal members who are hidden from it. Loop thread only.
final class GroupCounts {
    /// Number of online members, and of all.
    struct Tally: Equatable {
        var online: Int
        var of: Int
    }

    /// The state of one member. It is stored in the member, but only this type changes it.
    struct Mark {
        /// Counted as online, for most viewers.
        fileprivate var isOnline = false
        /// Not offline, whatever the member's privacy says. Both are of the same moment.
        fileprivate var isHere = false
        /// Its place in the user's list; nil if it isn't there.
        fileprivate var place: Int?
    }

    /// The counted memberships of a user. It is stored in the user, but only this type changes it.
    struct Memberships {
        fileprivate var all: [Member] = []
        /// Number of memberships, from the first on, that have yet to be looked at since the user came or went.
        fileprivate var unseen = 0
        fileprivate var isChanged = false
    }

    /// The conversations that a session watches. It is stored in the session, but only this type changes it.
    struct View {
        /// At most `Limits.countsPerSession`.
        fileprivate(set) var watching: [ConversationNumber: Watch] = [:]
    }

    /// A conversation that a session watches.
    struct Watch {
        let conversation: Conversation
        /// The last count that the session was sent; nil before the first.
        fileprivate var sent: Tally?
    }

    /// The count of a conversation. It is stored in the conversation, but only this type changes it.
    struct Count {
        fileprivate var phase = Phase.none
        fileprivate var online = 0
        /// The ordinal of the next member to look at, while members are looked at.
        fileprivate var next: Int64 = 0
        fileprivate var watchers = OrderedTable<SessionID, Session>()
        /// Commands that wait for the count.
        fileprivate var requests = 0
        /// Whether a job is to end the count.
        fileprivate var isEnding = false
        /// Whether a timer is set for comparing it with what watchers have, or it is in the queue.
        fileprivate var isExpected = false

        fileprivate var isWanted: Bool { requests > 0 || !watchers.isEmpty }
    }

    fileprivate enum Phase { case none, beginning, counted, ending }

    /// The limits of this part.
    struct Bounds {
        let perSession: Int
        let perSecond: Int
        let smallMembers: Int
        let smallMilliseconds: Int64
        let largeMilliseconds: Int64

        init(_ limits: Limits) {
            perSession = limits.countsPerSession
            perSecond = limits.countsPerSecond
            smallMembers = limits.countMembersSmall
            smallMilliseconds = limits.countMillisecondsSmall
            largeMilliseconds = limits.countMilliseconds
        }
    }

    /// A count that is being sent.
    private struct Telling {
        let conversation: Conversation
        let watchers: [Session]
        var place = 0
    }

    private let bounds: Bounds
    /// Users who came or went, and whose counted memberships haven't all been looked at.
    private var changed = Deque<User>()
    private var timers: TimerWheel<Conversation>
    /// Conversations whose timer has fired.
    private var due = Deque<Conversation>()
    private var telling: Telling?

    init(_ bounds: Bounds, at now: Int64) {
        self.bounds = bounds
        timers = TimerWheel(now: now)
    }

    // MARK: Watching

    /// Whether the session may watch these conversations in addition to those that it watches.
    func hasRoom(for conversations: [Conversation], by session: Session) -> Bool {
        let new = conversations.count { session.counts.watching[$0.number] == nil }
        return session.counts.watching.count + new <= bounds.perSession
    }

    /// A command needs the count. `endRequest` must follow.
    func beginRequest(of conversation: Conversation) { conversation.counts.requests += 1 }

    /// The session watches the conversation from now on. The conversation is counted.
    func watch(_ conversation: Conversation, by session: Session) {
        assert(conversation.counts.phase == .counted, "a conversation is counted before it is watched")
        if session.counts.watching[conversation.number] == nil {
            session.counts.watching[conversation.number] = Watch(conversation: conversation)
        }
        conversation.counts.watchers[session.id] = session
    }

    /// The command no longer needs the count.
    /// - Returns: whether the count has to be ended, by a job that calls `end`.
    func endRequest(of conversation: Conversation) -> Bool {
        conversation.counts.requests -= 1
        return mayEnd(conversation)
    }

    /// The session no longer watches the conversation.
    /// - Returns: as `endRequest`.
    func unwatch(_ conversation: Conversation, by session: Session) -> Bool {
        guard session.counts.watching.removeValue(forKey: conversation.number) != nil else { return false }
        conversation.counts.watchers[session.id] = nil
        return mayEnd(conversation)
    }

    /// Whether the session watches the conversation.
    func isWatched(_ conversation: ConversationNumber, by session: Session) -> Bool {
        session.counts.watching[conversation] != nil
    }

    /// The conversations that the session watches, in a fixed order, so that a simulated run can be repeated.
    func watched(by session: Session) -> [Conversation] {
        session.counts.watching.values.map(\.conversation).sorted { $0.number.value < $1.number.value }
    }

    private func mayEnd(_ conversation: Conversation) -> Bool {
        guard !conversation.counts.isWanted, !conversation.counts.isEnding, conversation.counts.phase != .none else {
            return false
        }
        conversation.counts.isEnding = true
        return true
    }

    // MARK: Counting

    /// Counts the members, one in each step, going on where it stopped. Returns whether all are counted.
    func count(_ conversation: Conversation, _ steps: inout Int) -> Bool {
        switch conversation.counts.phase {
        case .counted: return true
        case .beginning: break
        case .none, .ending:
            conversation.counts.phase = .beginning
            conversation.counts.next = 0
        }
        guard visit(conversation, &steps, enter) else { return false }
        conversation.counts.phase = .counted
        return true
    }

    /// Forgets the count, one member in each step, unless a session wants it again. Returns whether nothing is left to
    /// do.
    func end(_ conversation: Conversation, _ steps: inout Int) -> Bool {
        if !conversation.counts.isWanted {
            if conversation.counts.phase != .ending {
                conversation.counts.phase = .ending
                conversation.counts.next = 0
            }
            guard visit(conversation, &steps, leave) else { return false }
            conversation.counts.phase = .none
        }
        conversation.counts.isEnding = false
        return true
    }

    /// Members who join meanwhile come behind all others, and an ordinal is never given again.
    private func visit(_ conversation: Conversation, _ steps: inout Int, _ body: (Member) -> Void) -> Bool {
        var place = conversation.place(of: conversation.counts.next)
        while place < conversation.members.count {
            guard steps > 0 else { return false }
            steps -= 1
            let member = conversation.members[place]
            body(member)
            conversation.counts.next = member.ordinal + 1
            place += 1
        }
        return true
    }

    private func enter(_ member: Member) {
        if member.counted.place == nil {
            member.counted.place = member.user.counted.all.count
            member.user.counted.all.append(member)
        }
        settle(member)
    }

    private func leave(_ member: Member) {
        if member.counted.isOnline {
            member.counted.isOnline = false
            member.conversation.counts.online -= 1
        }
        guard let place = member.counted.place else { return }
        member.counted.place = nil
        member.user.counted.all.removeBySwap(at: place)?.counted.place = place
    }

    /// Counts the member by the state that most others see. Returns whether that is new.
    @discardableResult
    private func settle(_ member: Member) -> Bool {
        member.counted.isHere = member.user.presence.announced.state != .offline
        let isOnline = member.counted.isHere && member.user.privacy.settings.presence != .nobody
        guard member.counted.isOnline != isOnline else { return false }
        member.counted.isOnline = isOnline
        member.conversation.counts.online += isOnline ? 1 : -1
        return true
    }

    // MARK: Changes

    /// Whether the counts change when users join it.
    func isCounted(_ conversation: Conversation) -> Bool { conversation.counts.phase != .none }

    /// Notes that others see from now on that the user is online, or isn't.
    func note(_ user: User) {
        guard !user.counted.all.isEmpty else { return }
        user.counted.unseen = user.counted.all.count
        guard !user.counted.isChanged else { return }
        user.counted.isChanged = true
        changed.append(user)
    }

    /// The user of this new membership is counted, too.
    func joined(_ member: Member, at now: Int64) {
        guard member.conversation.counts.phase != .none else { return }
        if member.conversation.counts.phase != .ending { enter(member) }
        expectTelling(of: member.conversation, at: now)
    }

    /// The membership has ended, and with it the watches of the user's sessions.
    /// - Returns: as `endRequest`.
    func left(_ member: Member, at now: Int64) -> Bool {
        let conversation = member.conversation
        guard conversation.counts.phase != .none else { return false }
        leave(member)
        expectTelling(of: conversation, at: now)
        for session in member.user.sessions {
            session.counts.watching[conversation.number] = nil
            conversation.counts.watchers[session.id] = nil
        }
        return mayEnd(conversation)
    }

    /// Whether there is anything to count or to send.
    var hasWork: Bool { !changed.isEmpty || telling != nil || !due.isEmpty }

    /// Continues with due counts and changes, one step for each membership and for each session. Due counts come first:
    /// they are sent as they were when their tick came, whatever has changed in this round.
    func work(
        _ steps: inout Int, at now: Int64, _ policy: Policy, send: (Conversation, Tally, Session) -> Void
    ) {
        while steps > 0, telling != nil || !due.isEmpty {
            if telling == nil, let conversation = due.popFirst() {
                steps -= 1
                begin(conversation)
            }
            goOn(&steps, policy, send)
        }
        while steps > 0, let user = changed.first {
            // Those behind have been looked at, or are new: one that goes is replaced by the last.
            user.counted.unseen = min(user.counted.unseen, user.counted.all.count)
            while steps > 0, user.counted.unseen > 0 {
                steps -= 1
                user.counted.unseen -= 1
                let member = user.counted.all[user.counted.unseen]
                // For some viewers the count may have changed although it hasn't for most, or the other way round.
                if settle(member) || !user.privacy.isOpen { expectTelling(of: member.conversation, at: now) }
                user.counted.unseen = min(user.counted.unseen, user.counted.all.count)
            }
            guard user.counted.unseen == 0 else { return }
            user.counted.isChanged = false
            changed.removeFirst()
        }
    }

    // MARK: Telling

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64? { timers.nextDeadline }

    /// Number of timers that are set. For tests.
    var timerCount: Int { timers.count }

    /// Conversations whose time has come are due.
    func tick(at now: Int64) { due.append(contentsOf: timers.expire(at: now)) }

    /// The conversation's present count.
    func tally(of conversation: Conversation) -> Tally {
        Tally(online: conversation.counts.online, of: conversation.members.count)
    }

    /// The count for this session now, in answer to its command or because it was too slow before.
    func show(_ conversation: Conversation, to session: Session, _ policy: Policy) -> Tally {
        let tally = tally(of: conversation, for: session, policy)
        session.counts.watching[conversation.number]?.sent = tally
        return tally
    }

    /// Sends the session the count if it differs from what the session has.
    private func compare(
        _ conversation: Conversation, _ session: Session, _ policy: Policy,
        _ send: (Conversation, Tally, Session) -> Void
    ) {
        guard let watch = session.counts.watching[conversation.number] else { return }
        let own = tally(of: conversation, for: session, policy)
        if own != watch.sent { send(conversation, own, session) }
    }

    /// The session was sent this count.
    func noteSent(_ tally: Tally, of conversation: Conversation, to session: Session) {
        session.counts.watching[conversation.number]?.sent = tally
    }

    /// The count as the session may know it: members who hide from its user are offline, and members who show it more
    /// than others aren't. It looks at the users with an exception for or by its user, or at the members if they are
    /// fewer.
    private func tally(of conversation: Conversation, for session: Session, _ policy: Policy) -> Tally {
        let tally = tally(of: conversation)
        guard let viewer = session.user, !viewer.privacy.isOpen else { return tally }
        let hidesFromAll = viewer.privacy.settings.presence == .nobody
        var online = hidesFromAll ? 0 : tally.online
        func look(_ member: Member) {
            let shown = member.counted.isHere && policy.showsPresence(of: member.user, to: viewer)
            let counted = !hidesFromAll && member.counted.isOnline
            online += (shown ? 1 : 0) - (counted ? 1 : 0)
        }
        if viewer.privacy.exceptions.count + viewer.privacy.namedBy.count >= conversation.members.count {
            for member in conversation.members { look(member) }
        } else {
            for number in viewer.privacy.exceptions.keys {
                if let member = conversation.member(number) { look(member) }
            }
            for number in viewer.privacy.namedBy where viewer.privacy.exceptions[number] == nil {
                if let member = conversation.member(number) { look(member) }
            }
            if let own = conversation.member(viewer.number) { look(own) }
        }
        return Tally(online: online, of: tally.of)
    }

    /// These users see other members than before: at the next ticks, their counts are compared with those of their
    /// sessions. At once would show that a member has changed an exception; later, a change of another member would
    /// show it sooner.
    func restate(to users: [User], at now: Int64) {
        for session in users.flatMap(\.sessions) {
            for watch in session.counts.watching.values { expectTelling(of: watch.conversation, at: now) }
        }
    }

    private func isSmall(_ conversation: Conversation) -> Bool {
        conversation.members.count <= bounds.smallMembers
    }

    /// The time between two ticks at which a conversation's watchers may get another count. The more there are, the
    /// longer; it only doubles, so that one more watcher seldom moves the ticks.
    func interval(of conversation: Conversation) -> Int64 {
        let paced = Int64(conversation.counts.watchers.count) * 1_000 / Int64(max(1, bounds.perSecond))
        var interval = isSmall(conversation) ? bounds.smallMilliseconds : bounds.largeMilliseconds
        while interval < paced { interval *= 2 }
        return interval
    }

    /// The ticks of a conversation don't depend on what has changed when.
    private func expectTelling(of conversation: Conversation, at now: Int64) {
        guard !conversation.counts.isExpected, !conversation.counts.watchers.isEmpty || conversation.counts.requests > 0
        else { return }
        conversation.counts.isExpected = true
        timers.set(conversation, firingAt: TickGrid.next(after: now, every: interval(of: conversation)))
    }

    private func begin(_ conversation: Conversation) {
        conversation.counts.isExpected = false
        guard conversation.counts.phase == .counted, !conversation.counts.watchers.isEmpty else { return }
        telling = Telling(conversation: conversation, watchers: conversation.counts.watchers.values)
    }

    private func goOn(_ steps: inout Int, _ policy: Policy, _ send: (Conversation, Tally, Session) -> Void) {
        guard var current = telling else { return }
        telling = nil
        while current.place < current.watchers.count {
            guard steps > 0 else {
                telling = current
                return
            }
            let session = current.watchers[current.place]
            // The exceptions of some have to be looked at.
            steps -= 1 + looks(for: session, in: current.conversation) / 16
            current.place += 1
            compare(current.conversation, session, policy, send)
        }
    }

    private func looks(for session: Session, in conversation: Conversation) -> Int {
        guard let privacy = session.user?.privacy, !privacy.isOpen else { return 0 }
        return min(privacy.exceptions.count + privacy.namedBy.count, conversation.members.count)
    }
}
