import DequeModule
import RoostWire

/// Users' presence: the states of a user's devices, the resulting state of the user, and its watchers. Changes collect
/// until a tick, so that several devices and quick returns make one event. This type decides what to store and which
/// sessions get it; the caller does it. Loop thread only.
final class Presence {
    /// The state of one user. It is stored in the user, but only this type changes it.
    struct Person {
        /// When the user was last online; `.never` if never.
        fileprivate(set) var lastSeen: Timestamp
        /// The user's chosen status.
        fileprivate(set) var status: StoredStatus
        var end = StatusEnds.Mark()
        /// The state last sent to watchers.
        fileprivate(set) var announced: Shown
        /// Sessions with another state than the others: they got one ahead of the tick, or have the one from before it,
        /// if an update follows.
        fileprivate var early: [SessionID: Shown] = [:]
        /// Sessions that asked by `watch`.
        fileprivate(set) var watchers = OrderedTable<SessionID, Session>()
        fileprivate(set) var isChanged = false
        /// Since when, in monotonic milliseconds.
        fileprivate var changedAt: Int64 = 0
        /// Whether all recipients get the user's state again at the next tick, because its privacy has changed.
        fileprivate var isRetold = false
        /// After a restart, the state that the user had before, until its devices have had time to come back.
        fileprivate(set) var ghost = Linger()
        /// When the timer for idle devices fires. A user has one, however often the devices become idle.
        fileprivate var awayTimerAt = Int64.max
        /// The user has dropped, and the next sign of life notes it.
        fileprivate var isDropped = false
        /// The user has left a conversation, and who may watch it or be watched by it is looked at.
        fileprivate var review: WatchReview?
        fileprivate var stored: StoredPresence

        init(_ stored: StoredPresence, _ status: StoredStatus = StoredStatus()) {
            self.stored = stored
            self.status = status
            lastSeen = stored.lastSeen
            announced = Shown(state: .offline, text: status.toldText, lastSeen: stored.lastSeen)
        }

        /// Whether others must not learn that the user is there.
        var isInvisible: Bool { status.choice == .invisible }
    }

    /// The state that a device keeps after a drop without a goodbye, or a user after a restart. It is stored in the
    /// device or user, but only this type changes it.
    struct Linger {
        fileprivate(set) var activity = PresenceActivity.background
        /// When its user is away because of it, if it is idle.
        fileprivate(set) var awayAt = Int64.min
        /// Until when it keeps that state, in monotonic milliseconds; in the past if the device doesn't count.
        fileprivate(set) var until = Int64.min
    }

    /// The state of a session, and the users it watches. It is stored in the session, but only this type changes it.
    struct View {
        fileprivate(set) var activity = PresenceActivity.active
        fileprivate var isCounted = false
        /// When its user is away because of it, if it is idle. In monotonic milliseconds.
        fileprivate(set) var awayAt = Int64.min
        /// The same of the device before it dropped: it goes on if the device is still idle.
        fileprivate var wasAwayAt: Int64?
        fileprivate(set) var watching: [UserNumber: Watch] = [:]
        /// The detail of those users that was last sent to the session.
        var sent = SentLevels()
        /// Users whose changes the session gets next.
        fileprivate var batch: [User] = []
    }

    /// Result of one round: mutations to store and sessions to notify.
    struct News {
        /// Mutations for the store, in this order.
        var mutations: [Mutation] = []
        /// Sessions to notify. `takeBatch` returns the users for each.
        var audience: [Session] = []
        /// Users who have come or gone, for those who watch how many are there.
        var moved: [User] = []
    }

    private let bounds: Bounds
    private let counters: Counters
    private let policy: Policy
    /// Users whose state may have changed.
    private var changed = Deque<User>()
    /// Number of queued users to announce in this round; the others wait for the next.
    private var due = 0
    /// A user whose watchers are being notified.
    private var announcement: Announcement?
    /// Users who have to get others' states again, because a privacy setting has changed.
    private var retellings = Retellings()
    private var ticks: PresenceTicks
    /// The pace of the rounds of changes.
    var pace: PresencePace
    /// By how many milliseconds the round under way is later than usual.
    private(set) var late: Int64 = 0
    private var graces: TimerWheel<User>
    private var aliveAt: Int64
    /// Users who have dropped since the last sign of life, each once.
    private var dropped: [User] = []

    init(_ bounds: Bounds, _ counters: Counters, _ policy: Policy = Policy(), at now: Int64) {
        self.bounds = bounds
        self.policy = policy
        self.counters = counters
        pace = PresencePace(perSecond: bounds.tellingsPerSecond, burst: bounds.tellingsAtOnce, at: now)
        ticks = PresenceTicks(every: bounds.gatherMilliseconds)
        graces = TimerWheel(now: now)
        aliveAt = now
    }

    /// After a start, users who were shown as online or away still are, as if all had dropped at this moment. A user
    /// who was connected was last seen when the relay was last alive. Users who haven't been seen for too long aren't
    /// shown, nor those who want to be invisible: the end of the relay may have come between that wish and the tick.
    func settle(_ users: some Sequence<User>, lastAlive: Timestamp, at now: Moment) -> [Mutation] {
        let until = now.monotonic + bounds.graceMilliseconds
        let oldest = now.wall.milliseconds - bounds.downMilliseconds
        return users.filter { $0.presence.stored.state != .offline }.map { user in
            if user.presence.stored.isHere { user.presence.lastSeen = max(user.presence.lastSeen, lastAlive) }
            let isShown = user.presence.lastSeen.milliseconds >= oldest && !user.presence.isInvisible
            let state = isShown ? user.presence.stored.state : .offline
            user.presence.announced = user.shown(as: state)
            if isShown {
                user.presence.ghost = Linger(activity: state == .online ? .active : .idle, until: until)
                counters.count(user.presence.announced.state, 1)
                graces.set(user, at: until)
            }
            return note(user, StoredPresence(state, lastSeen: user.presence.lastSeen))
        }
    }

    // MARK: Coming and going

    /// A session of the user became ready.
    func come(_ session: Session, of device: Device, as activity: PresenceActivity, at now: Moment) {
        session.presence.activity = activity
        session.presence.isCounted = true
        counters.count(activity, 1)
        let (linger, ghost) = (device.presence, device.user.presence.ghost)
        if activity != .background, max(linger.until, ghost.until) > now.monotonic { counters.presence.returned += 1 }
        for before in [linger, ghost] where before.until > now.monotonic && before.activity == .idle {
            session.presence.wasAwayAt = before.awayAt
        }
        device.presence.until = Int64.min
        mayChange(device.user, at: now)
    }

    /// The device reports its state.
    func set(_ activity: PresenceActivity, of session: Session, _ user: User, at now: Moment) {
        if activity == .background, session.presence.activity != .background {
            noteSeen(user, at: now)
            user.presence.ghost.until = Int64.min
        }
        if activity == .idle, session.presence.activity != .idle {
            let awayAt = session.presence.wasAwayAt ?? now.monotonic + bounds.awayMilliseconds
            session.presence.awayAt = awayAt
            setAwayTimer(of: user, at: awayAt, now.monotonic)
        }
        session.presence.wasAwayAt = nil
        counters.count(session.presence.activity, -1)
        counters.count(activity, 1)
        session.presence.activity = activity
        mayChange(user, at: now)
    }

    /// The user was here at this moment, as far as others may know.
    private func noteSeen(_ user: User, at now: Moment) {
        if !user.presence.isInvisible { user.presence.lastSeen = now.wall }
    }

    /// Sets the user's chosen status.
    /// - Returns: the mutation to store; nil if nothing changes.
    func set(
        _ choice: StatusChoice, _ text: String, until: Timestamp = .never, of user: User, at now: Moment
    ) -> Mutation? {
        let before = user.presence.status
        guard choice != before.choice || text != before.text else {
            guard until != before.until else { return nil }
            user.presence.status.until = until
            return .status(user.number, user.presence.status)
        }
        // Last seen before going, and not while being invisible.
        if user.isHere { noteSeen(user, at: now) }
        let toldText = choice == .invisible ? before.toldText : text
        user.presence.status = StoredStatus(choice, text: text, toldText: toldText, until: until)
        mayChange(user, at: now)
        return .status(user.number, user.presence.status)
    }

    /// Another session of the same device takes over. No watcher sees the user leave.
    func giveWay(_ session: Session, of user: User, at now: Moment) {
        // The new session may be a background fetch, which says nothing about its user.
        if session.presence.activity != .background { noteSeen(user, at: now) }
    }

    /// The last session of a device ended.
    /// - Parameters:
    ///   - mayReturn: there was no goodbye, so the device keeps its state until its grace ends.
    ///   - isDraining: the grace begins when the relay has started again.
    func go(_ session: Session, of device: Device, mayReturn: Bool, isDraining: Bool, at now: Moment) {
        let (activity, user) = (session.presence.activity, device.user)
        if activity != .background {
            noteSeen(user, at: now)
            if mayReturn {
                let until = isDraining ? Int64.max : now.monotonic + bounds.graceMilliseconds
                device.presence = Linger(activity: activity, awayAt: session.presence.awayAt, until: until)
                if !isDraining { graces.set(user, at: until) }
                noteDrop(of: user)
            } else {
                user.presence.ghost.until = Int64.min
            }
        }
        mayChange(user, at: now)
    }

    /// Most who drop are back before the next sign of life, and nothing is stored for them.
    private func noteDrop(of user: User) {
        guard !user.presence.isDropped else { return }
        user.presence.isDropped = true
        dropped.append(user)
    }

    private func setAwayTimer(of user: User, at awayAt: Int64, _ now: Int64) {
        guard awayAt > now, awayAt < user.presence.awayTimerAt else { return }
        user.presence.awayTimerAt = awayAt
        graces.set(user, at: awayAt)
    }

    /// The timer has fired, perhaps for a device that was active in between: waits for the next that is idle.
    private func renewAwayTimer(of user: User, _ now: Int64) {
        user.presence.awayTimerAt = Int64.max
        for device in user.devices {
            let (view, linger) = (device.session?.presence, device.presence)
            let isIdle = (view?.activity ?? linger.activity) == .idle
            if isIdle { setAwayTimer(of: user, at: view?.awayAt ?? linger.awayAt, now) }
        }
    }

    /// Something happened that may change the user's state. The state is computed after the tick.
    private func mayChange(_ user: User, at now: Moment) {
        guard !user.presence.isChanged else { return }
        user.presence.isChanged = true
        user.presence.changedAt = now.monotonic
        changed.append(user)
        ticks.expect(now.monotonic)
    }

    /// The state to send to this session now: the present one, although others get a change only at the next tick. If
    /// the state changes again before, the tick corrects it.
    func show(_ user: User, to session: Session, at now: Moment) -> Shown {
        guard let viewer = session.user, policy.showsPresence(of: user, to: viewer) else { return .nothing }
        guard user.presence.isChanged else {
            user.presence.early[session.id] = nil
            return user.presence.announced
        }
        let shown = user.shown(as: PresenceCause(of: user, at: now.monotonic).state)
        user.presence.early[session.id] = shown
        return shown
    }

    // MARK: Watching

    /// Whether the session may watch these users in addition to those that it watches.
    func hasRoom(for users: [User], by session: Session) -> Bool {
        let new = users.reduce(0) { $0 + (session.presence.watching[$1.number] == nil ? 1 : 0) }
        return session.presence.watching.count + new <= bounds.watchedPerSession
    }

    /// The session watches these users, each named once, from now on. Returns false, and changes nothing, if that would
    /// be too many.
    func watch(_ watches: [Watch], by session: Session) -> Bool {
        guard hasRoom(for: watches.map(\.user), by: session) else { return false }
        for watch in watches {
            session.presence.watching[watch.user.number] = watch
            watch.user.presence.watchers[session.id] = session
        }
        return true
    }

    /// The watch of this user by the session; nil if there is none.
    func watch(of user: User, by session: Session) -> Watch? { session.presence.watching[user.number] }

    /// Something else lets the session watch the user.
    func renew(_ watch: Watch, by session: Session) {
        if session.presence.watching[watch.user.number] != nil {
            session.presence.watching[watch.user.number] = watch
        }
    }

    /// The session no longer watches this user.
    func unwatch(_ user: User, by session: Session) {
        session.presence.watching[user.number] = nil
        if session.user?.peers[user.number] == nil { session.presence.sent.forget(user.number) }
        user.presence.watchers[session.id] = nil
    }

    /// The session has ended.
    func forget(_ session: Session) {
        if session.presence.isCounted { counters.count(session.presence.activity, -1) }
        for watch in session.presence.watching.values { watch.user.presence.watchers[session.id] = nil }
        session.presence.watching.removeAll()
        session.presence.sent.removeAll()
        session.presence.batch.removeAll()
    }

    /// The user left a conversation that may have been the last one shared with some watcher.
    /// - Returns: what has to be done for it; nil if there is nothing, or if it is under way.
    func review(_ user: User, _ directory: Directory) -> WatchReview? {
        if let review = user.presence.review {
            review.begin()
            return nil
        }
        guard !user.presence.watchers.isEmpty || user.sessions.contains(where: { !$0.presence.watching.isEmpty })
        else { return nil }
        let review = WatchReview(of: user, self, directory)
        user.presence.review = review
        return review
    }

    /// All watches of the user and by the user are allowed ones now.
    func endReview(of user: User) { user.presence.review = nil }

    /// The watches of this user, and by it.
    func watches(of user: User) -> [(session: Session, other: User)] {
        var all = user.presence.watchers.values.map { (session: $0, other: user) }
        for session in user.sessions { all += session.presence.watching.values.map { (session, $0.user) } }
        // In a fixed order, so that a simulated run can be repeated.
        return all.sorted {
            ($0.session.id.value, $0.other.number.value) < ($1.session.id.value, $1.other.number.value)
        }
    }

    /// Whether the session gets changes: it asked, or the two users share a direct conversation.
    func isTold(_ session: Session, of user: UserNumber) -> Bool {
        session.presence.watching[user] != nil || session.user?.peers.sees(user) == true
    }

    // MARK: Privacy

    /// The user's privacy changes: recipients get its state again, and it gets theirs.
    func retell(_ user: User, at now: Moment) {
        user.presence.isRetold = true
        mayChange(user, at: now)
        retellings.add(nil, to: user, at: now.monotonic)
    }

    /// The exceptions between the user and these others change.
    func retell(_ user: User, _ others: [User], at now: Moment) {
        retellings.add(others, to: user, at: now.monotonic)
        for other in others { retellings.add([user], to: other, at: now.monotonic) }
        ticks.expect(now.monotonic)
    }

    /// Leaves this hidden user out of what the user's sessions get: they are as if they had been sent that. The state
    /// that they have is about to be corrected.
    func leaveOut(_ other: User, for user: User) {
        guard !retellings.areWanted(by: user, of: other.number) else { return }
        let level = policy.presenceLevel(of: other, to: user)
        for session in user.sessions { session.presence.sent.note(level, of: other.number) }
    }

    // MARK: Time

    /// Number of timers that are set. For tests.
    var timerCount: Int { graces.count }

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 {
        min(aliveAt, ticks.next.map { max($0, pace.readyAt) } ?? .max, graces.nextDeadline ?? .max)
    }

    /// Begins to announce changes if their time has come; `announce` does it.
    /// - Returns: the sign of life for the store, if it is time for one.
    func tick(at now: Moment) -> Mutation? {
        for user in graces.expire(at: now.monotonic) {
            mayChange(user, at: now)
            if user.presence.awayTimerAt <= now.monotonic { renewAwayTimer(of: user, now.monotonic) }
        }
        if let tick = ticks.next, max(tick, pace.readyAt) <= now.monotonic {
            late = max(0, pace.readyAt - tick)
            if late > 0 { counters.presence.lateRounds += 1 }
            beginRound(at: now.monotonic)
        }
        guard aliveAt <= now.monotonic else { return nil }
        aliveAt = now.monotonic + bounds.aliveMilliseconds
        for user in takeDropped() { mayChange(user, at: now) }
        return sign(at: now)
    }

    /// Changes that are too recent wait for the next tick.
    private func beginRound(at now: Int64) {
        ticks.begin()
        while due < changed.count, ticks.tick(of: changed[due].presence.changedAt) <= now { due += 1 }
        retellings.begin { ticks.tick(of: $0) <= now }
        if due < changed.count { ticks.expect(changed[due].presence.changedAt) }
        if let waiting = retellings.nextAt { ticks.expect(waiting) }
    }

    private func sign(at now: Moment) -> Mutation? {
        counters.usersOnline + counters.usersAway > 0 ? .alive(now.wall) : nil
    }

    /// Returns users whose drop is stored from now on.
    private func takeDropped() -> [User] {
        var taken: [User] = []
        swap(&taken, &dropped)
        for user in taken { user.presence.isDropped = false }
        return taken
    }

    /// Whether there is anything to announce.
    var hasNews: Bool { due > 0 || announcement != nil || retellings.hasNews }

    /// Goes on with announcements, one step for each user who has changed and for each possible recipient.
    func announce(_ steps: inout Int, at now: Moment) -> News {
        var news = News()
        while steps > 0, hasNews {
            if announcement == nil, retellings.hasNews {
                retellings.goOn(&steps) { tell($0, again: $1, &news, at: now) }
            } else if announcement == nil {
                // To judge a user and to store its state takes as long as two notices.
                steps -= 2
                due -= 1
                if let user = changed.popFirst() { begin(user, in: &news, at: now) }
            } else if goOn(&steps, &news, at: now) {
                announcement = nil
            }
        }
        announcement?.isInterrupted = true
        // In a fixed order, so that a simulated run can be repeated.
        news.audience.sort { $0.id.value < $1.id.value }
        return news
    }

    /// Returns the users whose changes the session must get.
    func takeBatch(of session: Session) -> [User] {
        var batch: [User] = []
        swap(&batch, &session.presence.batch)
        return batch
    }

    /// The relay is about to close everything: stores the dropped users, and a last sign of life for all others.
    func closeDown(at now: Moment) -> [Mutation] {
        let gone = takeDropped().filter { user in
            let stored = user.presence.stored
            return !user.isHere && (stored.isHere || user.presence.lastSeen != stored.lastSeen)
        }
        let notes = gone.map { note($0, StoredPresence($0.presence.stored.state, lastSeen: $0.presence.lastSeen)) }
        return notes + [sign(at: now)].compactMap { $0 }
    }

    /// A change that is being announced.
    private struct Announcement {
        let user: User
        let before: Shown
        /// Sessions that know something else than `before`.
        let early: [SessionID: Shown]
        let watchers: [Session]
        let peers: [User]
        /// The next of `watchers` and, behind them, of `peers`.
        var place = 0
        /// Some of them may have gone since it began.
        var isInterrupted = false
        /// Whether everyone gets the state again, because the user's privacy has changed.
        let isRetold: Bool
    }

    private func begin(_ user: User, in news: inout News, at now: Moment) {
        user.presence.isChanged = false
        let state = PresenceCause(of: user, at: now.monotonic).state
        let before = user.presence.announced
        let early = user.presence.early
        let isRetold = user.presence.isRetold
        user.presence.early.removeAll()
        user.presence.isRetold = false
        store(user, state, in: &news, at: now)
        let shown = user.shown(as: state)
        if isRetold { news.moved.append(user) }
        guard shown != before || !early.isEmpty || isRetold else { return }
        if shown != before {
            counters.count(user, before.state, shown.state, after: now.monotonic - user.presence.changedAt)
            user.presence.announced = shown
            if (before.state == .offline) != (shown.state == .offline) { news.moved.append(user) }
        }
        announcement = Announcement(
            user: user, before: before, early: early, watchers: user.presence.watchers.values,
            peers: user.peers.values, isRetold: isRetold)
    }

    /// Notifies as many as there are steps. Returns whether all are done.
    private func goOn(_ steps: inout Int, _ news: inout News, at now: Moment) -> Bool {
        guard var current = announcement else { return true }
        let user = current.user
        while current.place < current.watchers.count + current.peers.count {
            guard steps > 0 else {
                announcement = current
                return false
            }
            steps -= 1
            if current.place < current.watchers.count {
                tell(current.watchers[current.place], current, &news, at: now)
            } else {
                let sessions = current.peers[current.place - current.watchers.count].sessions
                steps -= max(0, sessions.count - 1)
                for session in sessions where user.presence.watchers[session.id] == nil {
                    tell(session, current, &news, at: now)
                }
            }
            current.place += 1
        }
        return true
    }

    private func tell(
        _ session: Session, _ current: borrowing Announcement, _ news: inout News, at now: Moment
    ) {
        let user = current.user
        guard let viewer = session.user else { return }
        guard viewer.peers.areAllSeen || isTold(session, of: user.number) else { return }
        let level = policy.presenceLevel(of: user, to: viewer)
        let before = current.early[session.id] ?? current.before
        // If only the two have changed what they show each other, a retelling follows, at the tick of that change.
        guard current.isRetold || session.presence.sent[user.number] == level else {
            user.presence.early[session.id] = before
            return
        }
        guard session.presence.sent.takeNews(of: user, before, level, at: now) else { return }
        guard !current.isInterrupted || isTold(session, of: user.number) else { return }
        add(user, to: session, &news)
    }

    private func add(_ user: User, to session: Session, _ news: inout News) {
        if session.presence.batch.isEmpty { news.audience.append(session) }
        session.presence.batch.append(user)
    }

    private func tell(_ session: Session, again user: User, _ news: inout News, at now: Moment) {
        guard isTold(session, of: user.number), let viewer = session.user else { return }
        let before = user.presence.early[session.id] ?? user.presence.announced
        let level = policy.presenceLevel(of: user, to: viewer)
        let isNews = session.presence.sent.takeNews(of: user, before, level, at: now)
        // The state that it has from now on. The tick compares it with the new one.
        user.presence.early[session.id] = user.presence.isChanged ? user.presence.announced : nil
        if isNews { add(user, to: session, &news) }
    }

    private func store(_ user: User, _ state: PresenceState, in news: inout News, at now: Moment) {
        let (stored, isHere) = (user.presence.stored, user.isHere && !user.presence.isInvisible)
        // A drop is stored with the next sign of life.
        let counts = isHere || user.presence.isDropped && stored.isHere && state != .offline
        // A visit shorter than a tick isn't sent, but the user was seen.
        let wasSeen =
            (state == .offline || !counts && !user.presence.isDropped)
            && user.presence.lastSeen != stored.lastSeen
        guard state != stored.state || counts != stored.isHere || wasSeen else { return }
        // After a crash, the user was last seen at this time or later.
        if isHere { noteSeen(user, at: now) }
        news.mutations.append(
            note(user, StoredPresence(state, isHere: counts, lastSeen: user.presence.lastSeen)))
    }

    private func note(_ user: User, _ stored: StoredPresence) -> Mutation {
        user.presence.stored = stored
        return .presence(user.number, stored)
    }
}

extension User {
    /// Whether the user has a connection that counts. A background fetch doesn't.
    fileprivate var isHere: Bool { sessions.contains { $0.presence.activity != .background } }

    /// The state that others see if the user's devices make this state. The user's choice comes first.
    func shown(as state: PresenceState) -> Presence.Shown {
        let wanted: PresenceState =
            switch presence.status.choice {
            case .away: .away
            case .busy: .busy
            case .auto, .invisible: state
            }
        return Presence.Shown(
            state: state == .offline ? .offline : wanted, text: presence.status.toldText,
            lastSeen: state == .offline ? presence.lastSeen : .never)
    }
}

extension PresenceActivity: Comparable {
    /// A less present state comes before a more present one.
    public static func < (one: PresenceActivity, other: PresenceActivity) -> Bool { one.rawValue < other.rawValue }
}
