import RoostWire

/// Names a session to other threads, which must not hold the object.
public struct SessionID: Hashable, Sendable {
    /// Counted from 1; never used twice in a process.
    public let value: UInt64
    /// Wraps a number that the Relay gave.
    public init(_ value: UInt64) { self.value = value }
}

/// One connection as the Relay sees it: who it is, what it may do, how far it has got, what waits for it. Lives on
/// the loop thread from `Relay.open` until `Relay.close`; the host reads `outbox` and `closing` at the end of a turn.
public final class Session {
    enum Phase {
        case awaitingHello
        case verifying
        case ready
        case ended
    }

    /// How durable events reach it.
    enum Delivery {
        /// As they are committed.
        case live
        /// It fell behind or has just come: what it has not got is read from the log once the outbox is empty.
        case behind
        /// A page is being read.
        case reading
    }

    // What a fan-out touches comes first, so that it lies in few cache lines.

    /// Frames for the host to write.
    public var outbox = Outbox()
    var unacked = UnackedMessages()
    /// Everything up to here that concerns the device was put into the outbox, or was there before.
    var sentPosition = Position.start
    var delivery = Delivery.live
    var phase = Phase.awaitingHello
    /// Already among those that the host visits.
    var isTouched = false
    /// Something waited in the outbox already when it was touched.
    var isSlow = false
    /// Its user caused something in the run that gathers: see `FanOutRun`.
    var isApart = false
    /// The host's connection.
    public var attachment: AnyObject?

    /// Its name for other threads.
    public let id: SessionID
    /// The host closes the connection with this code after writing what it can.
    public internal(set) var closing: CloseCode?

    var hello: PendingHello?
    unowned(unsafe) var user: User?
    unowned(unsafe) var device: Device?
    var directory = Directory.Slot()

    var round: CatchUpRound?
    /// Positions told by `ok` while behind: an ack that names one says nothing about what came before it.
    var ownPositions: Set<Position> = []
    var owed: Set<Owed> = []

    var presence = Presence.View()
    var reads = Reads.Slot()
    var malformed = 0
    /// Thousandths of commands left in the bucket, so that a low rate loses nothing, and when it was filled.
    var allowance: Int64
    var allowanceAt: Int64

    var heardAt: Int64
    var pingedAt: Int64?
    var helloDeadline: Int64?
    /// Monotonic; nil without a token.
    var tokenEndsAt: Int64?
    var timerAt = Int64.max

    init(_ id: SessionID, limits: Limits, at now: Moment) {
        self.id = id
        heardAt = now.monotonic
        helloDeadline = now.monotonic + limits.helloMilliseconds
        allowance = Int64(limits.commandsPerSecond) * 2_000
        allowanceAt = now.monotonic
    }

    /// The user's name once known; for logs.
    public var userName: String? { user?.name }
    /// Whether `welcome` was sent and the session goes on.
    public var isReady: Bool { phase == .ready }
    /// Whether the host has to say when everything in the outbox has left for the network.
    public var wantsDrained: Bool { phase == .ready && (delivery == .behind || !owed.isEmpty) }
}

/// What `hello` said while its token is being checked.
struct PendingHello {
    var id: CommandID?
    var device: String?
    var isBackground: Bool
    var resume: Position?
    /// `refresh` on a session that is ready.
    var isRefresh: Bool
}

/// An ephemeral event that a slow session has not been told: only what it is about, its state is read when told.
enum Owed: Hashable {
    case typing(ConversationNumber, UserNumber)
    case receipt(ConversationNumber, UserNumber)
    case presence(UserNumber)
}

extension Owed: Comparable {
    private var order: (Int, Int32, Int32) {
        switch self {
        case .typing(let conversation, let user): (0, conversation.value, user.value)
        case .receipt(let conversation, let user): (1, conversation.value, user.value)
        case .presence(let user): (2, 0, user.value)
        }
    }

    /// By kind, then by what it is about.
    static func < (one: Owed, other: Owed) -> Bool { one.order < other.order }
}

/// What a device missed when it began to catch up, read page by page. A new round begins when this one is through.
struct CatchUpRound {
    var spans: [PageRequest.Span]
    var upTo: Position
    var isFirstPage = true
}
