import DequeModule
import RoostFraming
import RoostWire

/// The socket side as delivery needs it: number of bytes that wait for a session, writing a frame to sessions, and a
/// list of sessions the host has to visit. News of drained and closed connections comes back through `Relay.drained`
/// and `Relay.close`. `DirectEdge` keeps the outboxes in this process. Another implementation may send frames to
/// another core or machine, as one message for each frame with the list of its sessions.
protocol Edge: AnyObject {
    /// Bytes on their way to the session.
    func backlog(of session: Session) -> Int
    /// Whether bytes were already waiting for the session before this turn.
    func isSlow(_ session: Session) -> Bool
    /// Bytes that wait for all slow sessions together.
    var waitingBytes: Int { get }
    /// Writes a frame to one session.
    func write(_ frame: Frame, to session: Session)
    /// Writes a frame that may wait until messages have been written: news of other users.
    func writePatiently(_ frame: Frame, to session: Session)
    /// Whether a frame for this number of sessions is for a crowd: others needn't wait until all of them have it.
    func isCrowd(_ sessions: Int) -> Bool
    /// Adds a session to those that get the frame. `end` follows the last one.
    func add(_ session: Session, to frame: Unmanaged<Frame>, bytes: Int, isCrowd: Bool)
    /// The frame has been added to this many sessions.
    func end(_ frame: Unmanaged<Frame>, sessions: Int)
    /// Asks the host to visit the session: to close it, or to report when nothing waits for it.
    func touch(_ session: Session)
}

/// Outboxes in this process, and the sessions the host has to visit, in the order in which they were touched. For a
/// large group one turn visits only a part, so that events arriving meanwhile join the round in progress instead of
/// waiting for its end, and so that a message to one person doesn't wait behind thousands of others. The host does the
/// writing. Loop thread only.
final class DirectEdge: Edge {
    /// The state that a session keeps for this part.
    struct Slot {
        /// Where it is among those that the host visits.
        fileprivate var queue: Queue?
        /// Whether something waited in the outbox already when it was touched.
        fileprivate var isSlow = false
        /// Its part of `waitingBytes`.
        fileprivate var waitingBytes = 0
    }

    fileprivate enum Queue {
        case near
        case crowd
        case patient
    }

    /// The number of bytes in an outbox above which a session is not calm.
    private let calmBytes: Int
    /// The fewest sessions a turn may visit, and the fewest of crowds among them.
    private let visitsMin, crowdVisitsMin: Int
    private var near = Deque<Session>()
    /// Sessions that wait only for what a crowd gets. It may also have some that were visited since, or are `near`.
    private var crowd = Deque<Session>()
    /// Sessions that wait only for news of other users, likewise.
    private var patient = Deque<Session>()
    /// Bytes left by the last writes to sessions. Bytes added before the next write aren't counted yet.
    private(set) var waitingBytes = 0
    /// Commands, outcomes and answers since the host last visited sessions.
    private var arrivals = 0
    /// Whether so much waits for a session that keeps up that the next turn visits all sessions.
    private var isBacklogged = false

    init(calmBytes: Int, visitsMin: Int, crowdVisitsMin: Int) {
        self.calmBytes = calmBytes
        self.visitsMin = visitsMin
        self.crowdVisitsMin = crowdVisitsMin
    }

    /// Whether there is no session to visit.
    var isEmpty: Bool { near.isEmpty && crowd.isEmpty && patient.isEmpty }

    // MARK: Edge

    @inline(__always)
    func backlog(of session: Session) -> Int { session.outbox.bytes }

    @inline(__always)
    func isSlow(_ session: Session) -> Bool {
        session.visit.waitingBytes > 0 || (session.visit.queue != nil ? session.visit.isSlow : !session.outbox.isEmpty)
    }

    func write(_ frame: Frame, to session: Session) {
        touch(session)
        session.outbox.push(frame)
    }

    func writePatiently(_ frame: Frame, to session: Session) {
        if session.visit.queue == nil {
            session.visit.isSlow = !session.outbox.isEmpty
            session.visit.queue = .patient
            patient.append(session)
        }
        session.outbox.push(frame)
    }

    func isCrowd(_ sessions: Int) -> Bool { sessions > visitsMin }

    @inline(__always)
    func add(_ session: Session, to frame: Unmanaged<Frame>, bytes: Int, isCrowd: Bool) {
        if isCrowd { touchInCrowd(session) } else { touch(session) }
        session.outbox.push(held: frame, bytes: bytes)
        noteBacklog(of: session)
    }

    @inline(__always)
    func end(_ frame: Unmanaged<Frame>, sessions: Int) { frame.hold(times: sessions) }

    // Called before a push: notices whether bytes were already waiting.
    @inline(__always)
    func touch(_ session: Session) {
        guard session.visit.queue != .near else { return }
        if session.visit.queue == nil { session.visit.isSlow = !session.outbox.isEmpty }
        session.visit.queue = .near
        near.append(session)
    }

    @inline(__always)
    private func touchInCrowd(_ session: Session) {
        guard session.visit.queue == nil || session.visit.queue == .patient else { return }
        if session.visit.queue == nil { session.visit.isSlow = !session.outbox.isEmpty }
        session.visit.queue = .crowd
        crowd.append(session)
    }

    /// Notices when a session that had taken everything has much to take.
    @inline(__always)
    private func noteBacklog(of session: Session) {
        if session.outbox.bytes > calmBytes, !session.visit.isSlow { isBacklogged = true }
    }

    /// Some of what waits for the session was written, or thrown away.
    @inline(__always)
    func noteWritten(_ session: Session) {
        let left = session.outbox.bytes + session.heldBytes
        guard left != session.visit.waitingBytes else { return }
        waitingBytes += left - session.visit.waitingBytes
        session.visit.waitingBytes = left
    }

    // MARK: Visits

    /// Counts what came in.
    @inline(__always)
    func noteArrivals(_ count: Int) { arrivals += count }

    /// Number of sessions that this turn may visit. Each arrival adds one visit. If every message goes to one person, a
    /// turn then writes all it has read, so writes are batched as well as reads. There is no limit when so much has
    /// gathered that sessions which keep up would look slow. Crowds have a share of their own: a smaller one, because a
    /// message to one person meanwhile waits for it, and one that others can't take. So have sessions that only wait
    /// for news of other users.
    func takeShare() -> VisitShare {
        let share =
            isBacklogged
            ? .all
            : VisitShare(
                near: max(visitsMin, arrivals), crowd: max(crowdVisitsMin, arrivals), patient: crowdVisitsMin)
        arrivals = 0
        isBacklogged = false
        return share
    }

    /// The next session to visit: the one that was touched first, and only then those of crowds.
    func next(in share: inout VisitShare) -> Session? {
        if share.near > 0, let session = near.popFirst() {
            share.near -= 1
            // An arrival adds one visit, of whatever kind.
            if share.crowd > crowdVisitsMin { share.crowd -= 1 }
            session.visit.queue = nil
            return session
        }
        while share.crowd > 0, let session = crowd.popFirst() {
            guard session.visit.queue == .crowd else { continue }
            share.crowd -= 1
            session.visit.queue = nil
            return session
        }
        while share.patient > 0, let session = patient.popFirst() {
            guard session.visit.queue == .patient else { continue }
            // While messages wait, only a quarter goes on.
            share.patient -= near.isEmpty && crowd.isEmpty ? 1 : 4
            session.visit.queue = nil
            return session
        }
        return nil
    }
}

/// Number of sessions that may still be visited: those with something for a few, those that wait only for a crowd's
/// events, and those that wait only for news of other users.
struct VisitShare: Equatable {
    static let all = VisitShare(near: .max, crowd: .max, patient: .max)

    var near: Int
    var crowd: Int
    var patient = 0
}
