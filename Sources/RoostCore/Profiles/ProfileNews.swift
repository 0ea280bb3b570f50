import DequeModule
import RoostFraming
import RoostWire

/// Sends a changed profile to those who see the user: its own devices, sessions that watch it, and the other users of
/// direct conversations. Changes are collected for a moment and sent as they are then, at the pace of presence, so a
/// user waits once, however often its profile changes. Loop thread only.
final class ProfileNews {
    /// A profile that is being sent.
    private struct Telling {
        let user: User
        let frame: Frame
        let sessions: [Session]
        let peers: [User]
        /// The next of `sessions` and, behind them, of `peers`.
        var place = 0
    }

    private let presence: Presence
    private let delivery: Delivery
    private let builder: FrameBuilder
    private let policy: Policy
    private let chores: Chores
    private let gatherMilliseconds: Int64
    private var changed = Deque<User>()
    /// Number of those that have waited for their time; the others wait for the next.
    private var due = 0
    private var telling: Telling?
    private var gatherAt: Int64?
    private var round: ProfileRound?

    init(
        _ presence: Presence, _ delivery: Delivery, _ builder: FrameBuilder, _ policy: Policy, _ chores: Chores,
        gatherMilliseconds: Int64
    ) {
        self.presence = presence
        self.delivery = delivery
        self.builder = builder
        self.policy = policy
        self.chores = chores
        self.gatherMilliseconds = gatherMilliseconds
    }

    /// The user's profile has changed.
    func note(_ user: User, at now: Int64) {
        guard let profile = user.profile, !profile.isListed else { return }
        profile.isListed = true
        changed.append(user)
        if gatherAt == nil { gatherAt = TickGrid.next(after: now, every: gatherMilliseconds) }
    }

    /// Number of sessions and users that get, or are checked for, a change.
    func audience(of user: User) -> Int {
        user.presence.watchers.count + user.peers.count + user.sessions.count
    }

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 { gatherAt.map { max($0, presence.pace.readyAt) } ?? .max }

    /// Begins to send changes if their time has come.
    func tick(at now: Moment) {
        guard nextDeadline <= now.monotonic else { return }
        gatherAt = nil
        due = changed.count
        guard round == nil else { return }
        let round = ProfileRound(of: self, at: now)
        self.round = round
        chores.begin(round, at: now)
    }

    /// Goes on with a round, one step for each possible recipient. Returns whether all are done.
    func goOn(_ steps: inout Int, at now: Moment) -> Bool {
        while steps > 0, telling != nil || due > 0 {
            if telling == nil { begin() } else if finish(&steps, at: now) { telling = nil }
        }
        guard telling == nil, due == 0 else { return false }
        round = nil
        if !changed.isEmpty, gatherAt == nil { gatherAt = now.monotonic }
        return true
    }

    private func begin() {
        due -= 1
        guard let user = changed.popFirst(), let profile = user.profile else { return }
        profile.isListed = false
        telling = Telling(
            user: user, frame: frame(of: user), sessions: user.sessions + user.presence.watchers.values,
            peers: user.peers.values)
    }

    private func finish(_ steps: inout Int, at now: Moment) -> Bool {
        guard var current = telling else { return true }
        while current.place < current.sessions.count + current.peers.count {
            guard steps > 0 else {
                telling = current
                return false
            }
            steps -= 1
            if current.place < current.sessions.count {
                tell(current.user, current.frame, to: current.sessions[current.place], at: now)
            } else {
                let sessions = current.peers[current.place - current.sessions.count].sessions
                steps -= max(0, sessions.count - 1)
                for session in sessions where current.user.presence.watchers[session.id] == nil {
                    tell(current.user, current.frame, to: session, at: now)
                }
            }
            current.place += 1
        }
        return true
    }

    private func tell(_ user: User, _ frame: Frame, to session: Session, at now: Moment) {
        guard session.phase == .ready, isTold(session, of: user) else { return }
        guard delivery.isCalm(session) else { return delivery.owe(.profile(user.number), to: session) }
        presence.pace.note(users: 0, at: now.monotonic)
        delivery.push(frame, to: session, isPatient: true)
    }

    /// Whether the session gets changes of the user's profile.
    func isTold(_ session: Session, of user: User) -> Bool {
        guard let viewer = session.user, !policy.hidesProfile(of: user, from: viewer) else { return false }
        return viewer === user || presence.isTold(session, of: user.number)
    }

    /// Sends the user's profile to the viewer, if there is one.
    func show(_ user: User, to viewer: User) {
        guard user.profile?.isShown == true, !policy.hidesProfile(of: user, from: viewer) else { return }
        let frame = frame(of: user)
        for session in viewer.sessions { delivery.deliver(frame, .profile(user.number), to: session) }
    }

    /// The event with the user's present profile.
    func frame(of user: User) -> Frame {
        builder.begin("profile")
        builder.profile(of: user)
        return builder.finish()
    }
}
