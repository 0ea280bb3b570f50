import RoostWire

/// Who is here: what a user's devices do, what that comes to for the user, and who watches. Changes are gathered for a
/// tick, so that many devices and quick returns make one event. It says what to store and whom to tell; doing so is the
/// caller's. Loop thread only.
final class Presence {
    /// What is known of one user. Lies in the user and is changed here only.
    struct Person {
        /// When the user was last here; `.never` if never.
        fileprivate(set) var lastSeen: Timestamp
        /// What watchers were told last.
        fileprivate(set) var announced = PresenceState.offline
        /// Sessions that asked by `watch`.
        fileprivate(set) var watchers: [SessionID: Session] = [:]
        fileprivate var isChanged = false
        /// What the store says.
        fileprivate var isStoredOnline: Bool
        fileprivate var storedLastSeen: Timestamp

        /// As stored.
        init(lastSeen: Timestamp, isOnline: Bool) {
            self.lastSeen = lastSeen
            storedLastSeen = lastSeen
            isStoredOnline = isOnline
        }
    }

    /// What a device that dropped without a goodbye still counts as. Lies in the device and is changed here only.
    struct Linger {
        fileprivate var activity = Activity.background
        /// Monotonic; past if the device doesn't count.
        fileprivate var until = Int64.min
    }

    /// What a session does and watches. Lies in the session and is changed here only.
    struct View {
        fileprivate(set) var activity = Activity.active
        fileprivate(set) var watching: [UserNumber: User] = [:]
        /// Users whose change it is told by this tick.
        fileprivate var batch: [User] = []
    }

    /// What a tick comes to.
    struct Tick {
        /// For the store, in this order.
        var mutations: [Mutation] = []
        /// Sessions to be told, each of the users that `takeBatch` gives.
        var audience: [Session] = []
    }

    /// What this part takes from `Limits`.
    struct Bounds {
        let watchedPerSession: Int
        let gatherMilliseconds: Int64
        let graceMilliseconds: Int64
        let aliveMilliseconds: Int64

        init(_ limits: Limits) {
            watchedPerSession = limits.watchedPerSession
            gatherMilliseconds = limits.gatherMilliseconds
            graceMilliseconds = limits.graceMilliseconds
            aliveMilliseconds = limits.aliveMilliseconds
        }
    }

    private let bounds: Bounds
    private let counters: Counters
    private var changed: [User] = []
    private var gatherAt: Int64?
    private var graces: TimerWheel<User>
    private var aliveAt: Int64

    init(_ bounds: Bounds, _ counters: Counters, at now: Int64) {
        self.bounds = bounds
        self.counters = counters
        graces = TimerWheel(now: now)
        aliveAt = now
    }

    /// After a start: nobody is a ghost. Who was online when the relay died was last seen when it was last alive.
    func settle(_ users: some Sequence<User>, lastAlive: Timestamp) -> [Mutation] {
        users.filter(\.presence.isStoredOnline).map { user in
            user.presence.lastSeen = max(user.presence.lastSeen, lastAlive)
            return note(user, isOnline: false)
        }
    }

    // MARK: Coming and going

    /// A session of the user is ready.
    func come(_ session: Session, of device: Device, as activity: Activity, at now: Moment) {
        session.presence.activity = activity
        device.presence.until = Int64.min
        mayChange(device.user, at: now)
    }

    /// The device says what it does now.
    func set(_ activity: Activity, of session: Session, _ user: User, at now: Moment) {
        if activity == .background, session.presence.activity != .background { user.presence.lastSeen = now.wall }
        session.presence.activity = activity
        mayChange(user, at: now)
    }

    /// Another session of the same device takes its place; nobody sees the user leave.
    func giveWay(_ session: Session, of user: User, at now: Moment) {
        // What takes its place may be a background fetch, which says nothing about its user.
        if session.presence.activity != .background { user.presence.lastSeen = now.wall }
    }

    /// The last session of a device ended.
    /// - Parameter mayReturn: it said no goodbye, so the device counts as it was until its grace ends.
    func go(_ session: Session, of device: Device, mayReturn: Bool, at now: Moment) {
        let activity = session.presence.activity
        if activity != .background {
            device.user.presence.lastSeen = now.wall
            if mayReturn {
                let until = now.monotonic + bounds.graceMilliseconds
                device.presence = Linger(activity: activity, until: until)
                graces.set(device.user, at: until)
            }
        }
        mayChange(device.user, at: now)
    }

    /// Something happened that presence depends on; what it comes to is looked at when the tick ends.
    private func mayChange(_ user: User, at now: Moment) {
        guard !user.presence.isChanged else { return }
        user.presence.isChanged = true
        changed.append(user)
        if gatherAt == nil { gatherAt = now.monotonic + bounds.gatherMilliseconds }
    }

    /// Online if any device is active, away if one is idle; one that dropped counts as it was until its grace ends.
    private func state(of user: User, at now: Int64) -> PresenceState {
        var highest = Activity.background
        for device in user.devices {
            if let session = device.session {
                highest = max(highest, session.presence.activity)
            } else if device.presence.until > now {
                highest = max(highest, device.presence.activity)
            }
        }
        switch highest {
        case .active: return .online
        case .idle: return .away
        case .background: return .offline
        }
    }

    // MARK: Watching

    /// The session is told of these users from now on. False if that would be too many: then nothing changes.
    func watch(_ users: [User], by session: Session) -> Bool {
        // Somebody may be named twice.
        var new: [UserNumber: User] = [:]
        for user in users where session.presence.watching[user.number] == nil { new[user.number] = user }
        guard session.presence.watching.count + new.count <= bounds.watchedPerSession else { return false }
        for user in new.values {
            session.presence.watching[user.number] = user
            user.presence.watchers[session.id] = session
        }
        return true
    }

    /// The session isn't told of this user any more.
    func unwatch(_ user: User, by session: Session) {
        session.presence.watching[user.number] = nil
        user.presence.watchers[session.id] = nil
    }

    /// The session has ended.
    func forget(_ session: Session) {
        for user in session.presence.watching.values { user.presence.watchers[session.id] = nil }
        session.presence.watching.removeAll()
        session.presence.batch.removeAll()
    }

    /// A conversation ended that may have been the last that the user shared with somebody: who may not watch any more
    /// doesn't.
    func endWatches(of user: User, under policy: Policy) {
        for session in user.sessions {
            for other in session.presence.watching.values where !policy.maySee(user, other) {
                unwatch(other, by: session)
            }
        }
        for session in user.presence.watchers.values {
            if let watcher = session.user, !policy.maySee(watcher, user) { unwatch(user, by: session) }
        }
    }

    /// Whether the session is told of changes: it asked, or they are the two of a direct conversation.
    func isTold(_ session: Session, of user: UserNumber) -> Bool {
        session.presence.watching[user] != nil || session.user?.peers[user] != nil
    }

    // MARK: Time

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 { min(aliveAt, gatherAt ?? .max, graces.nextDeadline ?? .max) }

    /// What has come of all that changed, if its time has come.
    /// - Parameter isDraining: everybody is about to come back: nobody is told that they left.
    func tick(isDraining: Bool, at now: Moment) -> Tick {
        var tick = Tick()
        for user in graces.expire(at: now.monotonic) { mayChange(user, at: now) }
        if let gatherAt, gatherAt <= now.monotonic {
            self.gatherAt = nil
            var users: [User] = []
            swap(&users, &changed)
            for user in users { announce(user, in: &tick, isDraining: isDraining, at: now) }
            // In one order everywhere, so that a simulated run can be repeated.
            tick.audience.sort { $0.id.value < $1.id.value }
        }
        if aliveAt <= now.monotonic {
            aliveAt = now.monotonic + bounds.aliveMilliseconds
            if counters.usersOnline + counters.usersAway > 0 { tick.mutations.append(.alive(now.wall)) }
        }
        return tick
    }

    /// Takes the users of whose change the session is to be told.
    func takeBatch(of session: Session) -> [User] {
        var batch: [User] = []
        swap(&batch, &session.presence.batch)
        return batch
    }

    /// The relay is about to stop: everybody goes, for the store.
    func closeDown(_ users: some Sequence<User>, at now: Moment) -> [Mutation] {
        users.compactMap { user in
            // A background fetch isn't presence, and who dropped was seen when it dropped.
            let isHere = user.sessions.contains { $0.presence.activity != .background }
            if isHere { user.presence.lastSeen = now.wall }
            return isHere || user.presence.isStoredOnline ? note(user, isOnline: false) : nil
        }
    }

    private func announce(_ user: User, in tick: inout Tick, isDraining: Bool, at now: Moment) {
        user.presence.isChanged = false
        let state = state(of: user, at: now.monotonic)
        store(user, state, in: &tick, isDraining: isDraining, at: now)
        guard state != user.presence.announced else { return }
        count(user.presence.announced, -1)
        count(state, 1)
        user.presence.announced = state
        counters.presenceChanges += 1
        guard !isDraining else { return }
        for session in user.presence.watchers.values { add(user, to: session, &tick) }
        for peer in user.peers.values {
            for session in peer.sessions where user.presence.watchers[session.id] == nil {
                add(user, to: session, &tick)
            }
        }
    }

    private func add(_ user: User, to session: Session, _ tick: inout Tick) {
        if session.presence.batch.isEmpty { tick.audience.append(session) }
        session.presence.batch.append(user)
    }

    private func count(_ state: PresenceState, _ change: Int) {
        switch state {
        case .online: counters.usersOnline += change
        case .away: counters.usersAway += change
        case .offline: break
        }
    }

    private func store(_ user: User, _ state: PresenceState, in tick: inout Tick, isDraining: Bool, at now: Moment) {
        let isOnline = state != .offline
        // A visit shorter than a tick isn't told, and yet the user was seen.
        let wasSeen = !isOnline && user.presence.lastSeen != user.presence.storedLastSeen
        guard isOnline != user.presence.isStoredOnline || wasSeen, !(isOnline && isDraining) else { return }
        // After a crash this is the least that is known of when it was last here.
        let isHere = user.sessions.contains { $0.presence.activity != .background }
        if isOnline, isHere { user.presence.lastSeen = now.wall }
        tick.mutations.append(note(user, isOnline: isOnline))
    }

    private func note(_ user: User, isOnline: Bool) -> Mutation {
        user.presence.isStoredOnline = isOnline
        user.presence.storedLastSeen = user.presence.lastSeen
        return .presence(user.number, isOnline: isOnline, lastSeen: user.presence.lastSeen)
    }
}

/// What others are told of a user.
enum PresenceState {
    case offline
    case away
    case online

    var word: StaticString {
        switch self {
        case .offline: "offline"
        case .away: "away"
        case .online: "online"
        }
    }
}

extension Activity: Comparable {
    /// Less present before more present.
    public static func < (one: Activity, other: Activity) -> Bool { one.rawValue < other.rawValue }
}
