import DequeModule
import RoostFraming
import RoostWire

/// The side of the sockets, as delivery sees it: how much waits for a session, this frame to these sessions, and who
/// has to be looked after. What has drained and who has closed comes back by `Relay.drained` and `Relay.close`.
/// The one that is built in, `DirectEdge`, keeps outboxes in this process; another may send them to another core or
/// machine, one message for each frame with the sessions it is for.
protocol Edge: AnyObject {
    /// Bytes on their way to the session.
    func backlog(of session: Session) -> Int
    /// Whether something waited for the session already before this turn.
    func isSlow(_ session: Session) -> Bool
    /// One frame to one session.
    func write(_ frame: Frame, to session: Session)
    /// One of the sessions that a frame goes to. `end` comes after the last one.
    func add(_ session: Session, to frame: Unmanaged<Frame>, bytes: Int)
    /// The frame was added to so many sessions.
    func end(_ frame: Unmanaged<Frame>, sessions: Int)
    /// The session has to be closed, or wants to be told when nothing waits for it.
    func touch(_ session: Session)
}

/// Outboxes in this process, and the sessions that the host has to visit, in the order in which they were touched. A
/// turn of the loop visits a part of a large group only, so that what arrives meanwhile joins the round that is under
/// way instead of waiting for its end. The writing is the host's. Loop thread only.
final class DirectEdge: Edge {
    /// Sessions a turn visits at least: some 0.3 ms of writing, a hundred times what a turn costs itself. What
    /// arrives meanwhile waits no longer than that to be read.
    static let visitsMin = 64

    /// What a session stores for this part.
    struct Slot {
        /// Whether it is already among those that the host visits.
        fileprivate var isTouched = false
        /// Whether something waited in the outbox already when it was touched.
        fileprivate var isSlow = false
    }

    /// Bytes in an outbox that are much.
    private let calmBytes: Int
    private var touched = Deque<Session>()
    /// Commands, outcomes and answers since the host last visited sessions.
    private var arrivals = 0
    /// So much waits for a session that keeps up that the next turn visits all sessions.
    private var isBacklogged = false

    init(calmBytes: Int) {
        self.calmBytes = calmBytes
    }

    /// Whether the host has nobody to visit.
    var isEmpty: Bool { touched.isEmpty }

    // MARK: Edge

    @inline(__always)
    func backlog(of session: Session) -> Int { session.outbox.bytes }

    @inline(__always)
    func isSlow(_ session: Session) -> Bool {
        session.visit.isTouched ? session.visit.isSlow : !session.outbox.isEmpty
    }

    func write(_ frame: Frame, to session: Session) {
        touch(session)
        session.outbox.push(frame)
    }

    @inline(__always)
    func add(_ session: Session, to frame: Unmanaged<Frame>, bytes: Int) {
        touch(session)
        session.outbox.push(held: frame, bytes: bytes)
        noteBacklog(of: session)
    }

    @inline(__always)
    func end(_ frame: Unmanaged<Frame>, sessions: Int) { frame.hold(times: sessions) }

    // Before a push: whether something waited already is looked at here.
    @inline(__always)
    func touch(_ session: Session) {
        guard !session.visit.isTouched else { return }
        session.visit.isTouched = true
        session.visit.isSlow = !session.outbox.isEmpty
        touched.append(session)
    }

    /// Notices when a session that had taken everything has much to take.
    @inline(__always)
    private func noteBacklog(of session: Session) {
        if session.outbox.bytes > calmBytes, !session.visit.isSlow { isBacklogged = true }
    }

    // MARK: Visits

    /// So much came in.
    @inline(__always)
    func noteArrivals(_ count: Int) { arrivals += count }

    /// How many sessions this turn may visit. Each arrival makes up for one visit: where messages go to one person
    /// each, a turn then writes all it has read, and shares its writes as well as it shared its reads. And nobody waits
    /// for another turn when so much has gathered that sessions which keep up would seem slow.
    func takeShare() -> Int {
        let share = isBacklogged ? Int.max : max(Self.visitsMin, arrivals)
        arrivals = 0
        isBacklogged = false
        return share
    }

    /// The session that was touched first.
    func next() -> Session? {
        guard let session = touched.popFirst() else { return nil }
        session.visit.isTouched = false
        return session
    }
}
