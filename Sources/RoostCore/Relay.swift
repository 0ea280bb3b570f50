import DequeModule
import RoostWire

/// Routes everything: takes what happened (a connection opened, a frame came, a batch was committed, a page was read,
/// time passed) and says what to do (write frames, append to the log, read pages, check tokens, close). It owns all
/// live state, belongs to one thread, and touches no socket, file, clock or random source of its own, so that the
/// same code runs under the server, in unit tests and in the seeded simulation.
public final class Relay {
    /// What clients are told of this relay in `welcome`.
    public struct Identity: Sendable {
        /// Name and version.
        public var server: String
        /// What an acked message survives.
        public var durability: Durability

        /// Puts an identity together.
        public init(server: String, durability: Durability) {
            self.server = server
            self.durability = durability
        }
    }

    let limits: Limits
    let identity: Identity
    let decoder: CommandDecoder
    let builder = FrameBuilder()
    let pingFrame = FrameBuilder.ping()
    let random: RandomSource
    /// Counted for the operator.
    public let counters = Counters()

    let directory: Directory
    /// Position of the newest durable event.
    public internal(set) var head: Position

    // Sessions.
    var sessions: [SessionID: Session] = [:]
    var nextSession: UInt64 = 1
    var touched = Deque<Session>()
    /// Commands, outcomes and answers since the host last visited sessions.
    var arrivals = 0
    /// So much waits for a session that keeps up that the next turn visits all.
    var isBacklogged = false
    /// Some outbox holds half of what makes its session fall behind: better to write before more is put into it.
    var isOutboxHalfFull = false
    var verifications = Deque<Verification>()
    /// Taken and not yet answered.
    var verificationsUnderWay = 0
    /// What goes to one conversation, not yet in the outboxes. See `deliverRun`.
    var run = FanOutRun()
    var otherRun = FanOutRun()
    /// What one session gets of a run, while it is put together.
    var portion = FrameRun()

    let journal: Journal

    let reads: Reads

    // Pages of catch-up: those that are read or not yet given to everybody they were read for, who waits for one to be
    // read, and who for one that is there.
    var pagesUnderWay = 0
    var waitingForPage = Deque<Session>()
    var readyPages = Deque<(session: Session, page: CatchUpPage)>()
    var sharedPages = SharedPages()
    var pageRun = FrameRun()

    let typing: Typing
    let receipts: Receipts
    let presence: Presence

    // Time.
    var timers: TimerWheel<Timer>
    var aliveAt: Int64

    /// What a timer of the wheel is about; whether it is due is looked up when it fires.
    enum Timer {
        case session(SessionID)
    }

    /// Takes over what the store has.
    /// - Parameters:
    ///   - snapshot: everything stored.
    ///   - limits: all bounds.
    ///   - identity: what clients are told.
    ///   - random: for conversation ids and come-back times; seeded in a simulation.
    ///   - now: the start.
    public init(
        _ snapshot: Snapshot, limits: Limits, identity: Identity, random: any RandomNumberGenerator, at now: Moment
    ) {
        self.limits = limits
        self.identity = identity
        self.random = RandomSource(random)
        decoder = CommandDecoder(limits: limits)
        journal = Journal(.init(limits))
        reads = Reads(.init(limits))
        head = snapshot.head
        typing = Typing(.init(limits), at: now.monotonic)
        receipts = Receipts(.init(limits))
        presence = Presence(.init(limits), counters, at: now.monotonic)
        timers = TimerWheel(now: now.monotonic)
        aliveAt = now.monotonic
        directory = Directory(
            snapshot, .init(limits), journal: journal, counters: counters, random: self.random, at: now)
        let ghosts = presence.settle(directory.everybody, lastAlive: snapshot.aliveAt)
        for mutation in ghosts { journal.store(mutation) }
    }

    /// How many sessions are ready.
    public var readySessions: Int { counters.sessionsOpened - counters.sessionsEnded }
    /// How many connections are open, ready or not.
    public var openConnections: Int { sessions.count }
    /// Durable events handed in and not yet committed.
    public var pendingEvents: Int { journal.pendingEvents }
    /// Whether nothing waits for the log.
    public var isSettled: Bool {
        journal.isEmpty && (journal.isFailed || !receipts.isStoreDue)
    }
    /// Whether commands are taken and the store works.
    public var isServing: Bool { journal.isOpen }
}

/// A token that somebody else has to check; the answer comes back by `Relay.verified`.
public struct Verification: Sendable {
    /// Whose token it is.
    public var session: SessionID
    /// The token; never logged.
    public var token: String
}

extension Relay {
    var isDraining: Bool { journal.isDraining }
    /// Bytes that wait for all connections. O(connections): for metrics.
    public var outboxBytes: Int { sessions.values.reduce(0) { $0 + $1.outbox.bytes } }
}
