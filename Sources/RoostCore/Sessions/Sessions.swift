import DequeModule
import RoostWire

/// The connections: the state of each before and after `hello`, the commands it may send, and the time of its last
/// frame. It says what has to be done (ping, close, welcome); the caller does it. Loop thread only.
final class Sessions {
    /// The limits of this part.
    struct Bounds {
        /// From the upgrade to `hello`, in milliseconds.
        var helloMilliseconds: Int64
        /// From the last frame heard to a ping, in milliseconds.
        var pingMilliseconds: Int64
        /// A connection is closed when nothing arrives for this long after a ping.
        var pongMilliseconds: Int64
        /// The range that clients may ask for instead.
        var least, most: Heartbeat
        /// Time from the expiry of a token to the close of its connection.
        var refreshGraceMilliseconds: Int64
        /// Malformed commands in a row before the connection is closed.
        var malformedMax: Int
        /// Tokens checked at the same time; others wait.
        var verificationsAtOnce: Int

        init(_ limits: Limits) {
            helloMilliseconds = limits.helloMilliseconds
            pingMilliseconds = limits.pingMilliseconds
            pongMilliseconds = limits.pongMilliseconds
            least = Heartbeat(
                ping: min(limits.pingMinMilliseconds, limits.pingMilliseconds),
                pong: min(limits.pongMinMilliseconds, limits.pongMilliseconds))
            most = Heartbeat(
                ping: max(limits.pingMaxMilliseconds, limits.pingMilliseconds),
                pong: max(limits.pongMaxMilliseconds, limits.pongMilliseconds))
            refreshGraceMilliseconds = limits.refreshGraceMilliseconds
            malformedMax = limits.malformedMax
            verificationsAtOnce = limits.verificationsAtOnce
        }
    }

    /// The state that this part keeps for each session. Times are monotonic milliseconds.
    struct Slot {
        /// The contents of `hello` or `refresh` while the token is being checked.
        fileprivate var hello: Hello?
        fileprivate(set) var heardAt: Int64
        let openedAt: Int64
        fileprivate(set) var heartbeat: Heartbeat
        fileprivate var pingedAt: Int64?
        fileprivate var helloDeadline: Int64?
        /// When the token expires; nil if there is none.
        fileprivate var tokenEndsAt: Int64?
        /// When its timer fires. A deadline that has moved later is found then.
        fileprivate var timerAt = Int64.max
        /// Malformed commands in a row.
        fileprivate var malformed = 0

        init(_ bounds: Bounds, at now: Int64) {
            heardAt = now
            openedAt = now
            heartbeat = Heartbeat(ping: bounds.pingMilliseconds, pong: bounds.pongMilliseconds)
            helloDeadline = now + bounds.helloMilliseconds
        }
    }

    /// When a session is pinged, and how long it may take to answer, in milliseconds.
    struct Heartbeat: Equatable {
        let ping, pong: Int64
    }

    /// The contents of `hello`.
    struct Hello {
        var id: CommandID?
        var device: String?
        var isBackground = false
        /// Whether the session is to belong to no user.
        var isOperator = false
        var resume: Position?
        /// The heartbeat that the client asks for.
        var pingSeconds, pongSeconds: Int64?
        /// Whether it was a `refresh` on a ready session.
        var isRefresh = false
    }

    /// A token found to be good.
    struct Verified {
        let session: Session
        let hello: Hello
        let grant: Grant
        /// Monotonic milliseconds.
        let endsAt: Int64
    }

    /// A refused token, or a refused `hello` that came with it.
    struct Rejected {
        let session: Session
        let refusal: Refusal
        /// Nil if the session may try again.
        let code: CloseCode?
    }

    /// The result of checking a token.
    enum Checked {
        case verified(Verified)
        case rejected(Rejected)
        /// The session is gone.
        case nobody
    }

    /// The action when a deadline has passed.
    enum Due {
        case ping
        case close(CloseCode)
    }

    private let bounds: Bounds
    private var sessions = OrderedTable<SessionID, Session>()
    private var nextID: UInt64 = 1
    private var timers: TimerWheel<SessionID>
    private var verifications = Deque<Verification>()
    /// Number of tokens taken and not yet answered.
    private var verificationsUnderWay = 0

    init(_ bounds: Bounds, at now: Int64) {
        self.bounds = bounds
        timers = TimerWheel(now: now)
    }

    // MARK: Connections

    subscript(id: SessionID) -> Session? { sessions[id] }

    /// The number of open connections, ready or not.
    var count: Int { sessions.count }
    /// All connections, in no order.
    var all: [Session] { sessions.values }
    /// All connections in a fixed order, so that a simulation can be repeated.
    var sorted: [Session] { sessions.values.sorted { $0.id.value < $1.id.value } }
    /// Number of timers that are set. For tests.
    var timerCount: Int { timers.count }

    /// A connection was opened.
    func open(at now: Moment) -> Session {
        let session = Session(SessionID(nextID), Slot(bounds, at: now.monotonic))
        nextID += 1
        sessions[session.id] = session
        schedule(session)
        return session
    }

    /// The connection is gone.
    func remove(_ session: Session) { sessions[session.id] = nil }

    /// Notes that something arrived.
    @inline(__always)
    func heard(_ session: Session, at now: Moment) {
        session.life.heardAt = now.monotonic
        session.life.pingedAt = nil
    }

    // MARK: Commands

    /// A command of the session was well formed, whatever becomes of it.
    @inline(__always)
    func noteWellFormed(_ session: Session) { session.life.malformed = 0 }

    /// Checks that the command is allowed now: `hello` first and only once; after the token has expired, only those
    /// that mend it.
    /// - Parameter isActing: whether the command names a user to act as.
    /// - Throws: `not_ready`, `token_expired`, or `forbidden` in an operator's session.
    func authorize(
        _ command: Command, isActing: Bool = false, of session: Session, at now: Moment
    ) throws(Refusal) {
        switch (command, session.phase) {
        case (.hello, .awaitingHello), (.ping, .ready), (.bye, _), (.refresh, .ready): return
        case (.hello, _): throw Refusal(.notReady, "this connection has already said hello")
        case (_, .ready):
            if let ends = session.life.tokenEndsAt, ends <= now.monotonic {
                throw Refusal(.tokenExpired, "the token has expired; send refresh")
            }
            if case .operator = command { return }
            // An operator's session belongs to no user who could talk.
            if session.user == nil, !isActing { _ = try session.speaker() }
        default: throw Refusal(.notReady, "send hello and wait for welcome first")
        }
    }

    /// Whether a command was refused for its form.
    func isMalformed(_ refusal: Refusal) -> Bool {
        switch refusal.code {
        case .badJSON, .badRequest, .unknownType: true
        default: false
        }
    }

    /// Counts a refused command. Returns true when the session has sent too many malformed ones in a row.
    func isMalformedTooOften(_ refusal: Refusal, _ session: Session) -> Bool {
        guard isMalformed(refusal), !session.handsOn else { return false }
        session.life.malformed += 1
        return session.life.malformed >= bounds.malformedMax
    }

    // MARK: Tokens

    /// Has the token of a `hello` or `refresh` checked.
    /// - Throws: `conflict` if one is being checked already.
    func verify(_ token: Text, _ hello: Hello, of session: Session) throws(Refusal) {
        guard session.life.hello == nil else { throw Refusal(.conflict, "another refresh is under way") }
        if !hello.isRefresh { session.beginVerifying() }
        session.life.hello = hello
        verifications.append(Verification(session: session.id, token: token.string))
    }

    /// Returns tokens to check elsewhere, a few at a time. Each is answered by `verified`.
    func takeVerifications() -> [Verification] {
        var taken: [Verification] = []
        while verificationsUnderWay < bounds.verificationsAtOnce, let next = verifications.popFirst() {
            verificationsUnderWay += 1
            taken.append(next)
        }
        return taken
    }

    /// Handles the result of checking a token.
    func checked(_ id: SessionID, _ result: Result<Grant, Refusal>, at now: Moment) -> Checked {
        verificationsUnderWay = max(0, verificationsUnderWay - 1)
        guard let session = sessions[id], session.phase != .ended, let hello = session.life.hello else {
            return .nobody
        }
        session.life.hello = nil
        do throws(Refusal) {
            let grant = try result.get()
            let remaining = grant.expires.milliseconds.subtractingReportingOverflow(now.wall.milliseconds)
            guard !remaining.overflow, remaining.partialValue > 0 else {
                throw Refusal(.tokenExpired, "the token has expired")
            }
            let ends = now.monotonic.addingReportingOverflow(remaining.partialValue)
            let endsAt = ends.overflow ? Int64.max : ends.partialValue
            return .verified(Verified(session: session, hello: hello, grant: grant, endsAt: endsAt))
        } catch {
            return .rejected(reject(error, hello, of: session))
        }
    }

    /// The treatment of a session whose token or `hello` was refused.
    func reject(_ refusal: Refusal, _ hello: Hello, of session: Session) -> Rejected {
        var refusal = refusal
        refusal.id = hello.id
        guard !hello.isRefresh else { return Rejected(session: session, refusal: refusal, code: nil) }
        switch refusal.code {
        case .unauthorized, .forbidden: return Rejected(session: session, refusal: refusal, code: .unauthorized)
        case .tokenExpired: return Rejected(session: session, refusal: refusal, code: .tokenExpired)
        default:
            session.awaitHello()
            return Rejected(session: session, refusal: refusal, code: nil)
        }
    }

    /// Takes the heartbeat that the client asks for into the limits. The operator's own is always allowed.
    func setHeartbeat(of session: Session, _ hello: Hello) {
        let (least, most) = (bounds.least, bounds.most)
        session.life.heartbeat = Heartbeat(
            ping: Sessions.take(hello.pingSeconds, from: least.ping, to: most.ping, or: bounds.pingMilliseconds),
            pong: Sessions.take(hello.pongSeconds, from: least.pong, to: most.pong, or: bounds.pongMilliseconds))
    }

    private static func take(_ seconds: Int64?, from least: Int64, to most: Int64, or usual: Int64) -> Int64 {
        guard let seconds else { return usual }
        let wanted = seconds.multipliedReportingOverflow(by: 1_000)
        return wanted.overflow ? most : min(max(wanted.partialValue, least), most)
    }

    /// Notes the lifetime of the session's token, after a welcome or a refresh.
    func renew(_ session: Session, until endsAt: Int64) {
        session.life.helloDeadline = nil
        session.life.tokenEndsAt = endsAt
        schedule(session)
    }

    /// The session has ended.
    func forget(_ session: Session) { session.life.hello = nil }

    // MARK: Time

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64? { timers.nextDeadline }

    /// Finds what is due, and calls `act` with each session and what to do.
    func tick(at now: Int64, _ act: (Session, Due) -> Void) {
        for id in timers.expire(at: now) {
            guard let session = sessions[id], session.phase != .ended, session.life.timerAt <= now else { continue }
            session.life.timerAt = Int64.max
            if let due = due(session, at: now) { act(session, due) }
            if session.phase != .ended { schedule(session) }
        }
    }

    private func due(_ session: Session, at now: Int64) -> Due? {
        if let hello = session.life.helloDeadline, hello <= now { return .close(.helloTimeout) }
        if let ends = session.life.tokenEndsAt, ends <= now - bounds.refreshGraceMilliseconds {
            return .close(.tokenExpired)
        }
        if let pinged = session.life.pingedAt {
            return pinged + session.life.heartbeat.pong <= now ? .close(.pingTimeout) : nil
        }
        guard session.life.heardAt + session.life.heartbeat.ping <= now else { return nil }
        session.life.pingedAt = now
        return .ping
    }

    /// Sets a timer for the session's next deadline. A session has one entry: a later deadline is found when it fires.
    private func schedule(_ session: Session) {
        let next = deadline(of: session)
        guard next < session.life.timerAt else { return }
        session.life.timerAt = next
        timers.set(session.id, at: next)
    }

    private func deadline(of session: Session) -> Int64 {
        var next = session.life.heardAt + session.life.heartbeat.ping
        if let pinged = session.life.pingedAt { next = pinged + session.life.heartbeat.pong }
        if let hello = session.life.helloDeadline { next = min(next, hello) }
        if let ends = session.life.tokenEndsAt {
            let closed = ends.addingReportingOverflow(bounds.refreshGraceMilliseconds)
            if !closed.overflow { next = min(next, closed.partialValue) }
        }
        return next
    }
}
