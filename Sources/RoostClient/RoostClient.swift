import RoostFraming
import RoostWire

/// A session with a Roost relay that keeps itself up: it connects, says hello, comes back after every loss with a
/// random and growing wait, renews its token, sends what waits again until it is acked, and reports every event once.
///
/// All state belongs to the actor. It has no thread, reads no clock and draws no random number of its own: both are
/// handed in. It keeps nothing on disk; what a device has not acked is kept by the relay.
public actor RoostClient {
    enum Phase: Equatable {
        /// Before `connect`.
        case idle
        case fetchingToken
        case connecting
        /// `hello` is under way.
        case greeting
        case ready
        /// Until the next try.
        case waiting
        /// Until the application has taken what waits for it.
        case behind
        /// `bye` is under way.
        case leaving
        case ended(Ending)
    }

    /// A command that waits for its reply.
    struct Outstanding {
        var issued: Duration
        var complete: (Result<JSONValue, RoostFailure>) -> Void
    }

    /// How far the user has read a conversation, until the server has taken it.
    struct ReadMark {
        var sequence: SequenceNumber
        var isUnderWay = false
    }

    /// Where the relay is.
    public nonisolated let url: String
    /// The name of this device.
    public nonisolated let device: String
    let isBackground: Bool
    let limits: ClientLimits
    let token: @Sendable () async throws -> String
    let connector: any SocketConnector
    let elapsed: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void
    var generator: any RandomNumberGenerator & Sendable
    let builder = FrameBuilder()

    // The connection. Each try has a number, so that what belongs to an earlier one is known and ignored.
    var phase = Phase.idle
    var connection = 0
    var socket: (any Socket)?
    var inbox: Inbox?
    var currentToken = ""
    var backoff: Backoff
    var askedWait: Duration?
    var readySince: Duration?
    var heardAt = Duration.zero
    var welcome: Welcome?
    var alarms: [Alarm: Ring] = [:]
    var rings = 0
    var leavers: [CheckedContinuation<Void, Never>] = []

    // Commands and replies.
    var lastID: Int64 = 0
    var outstanding: [Int64: Outstanding] = [:]
    var requests = 0

    // Messages on their way.
    var outgoing: OutgoingQueue
    var sendBackoff: Backoff
    var isSendingPaused = false
    var isRefreshing = false

    // Events and acks.
    var buffer: EventBuffer
    var recent: RecentEvents
    var taken: EventBuffer.Mark?
    var reader: CheckedContinuation<RoostEvent?, Never>?
    var readers = 0
    var unacked: EventBuffer.Mark?
    var unackedCount = 0

    // What the server forgets with the connection, and is told again.
    var activity: Activity?
    var watchCalls: [[String]] = []
    var reads: [String: ReadMark] = [:]

    /// A client for one device of one user. Nothing happens before `connect`.
    ///
    /// - Parameters:
    ///   - url: `ws://` or `wss://`, with the path `/v1/socket`.
    ///   - device: the name of this device: 1–64 bytes of printable ASCII. Two clients with the same user and device
    ///     close each other, so keep it apart from other installations, and the same from one start to the next.
    ///   - isBackground: a background fetch, which doesn't make the user online.
    ///   - limits: every bound.
    ///   - connector: where sockets come from.
    ///   - clock: what waits are measured with.
    ///   - generator: what keys and random waits are drawn from. Keys have to be unique for ever: hand in another one
    ///     in tests only.
    ///   - token: gives a valid token, for every connection and before the old one ends. When it throws, the client
    ///     tries again later.
    public init(
        url: String,
        device: String,
        isBackground: Bool = false,
        limits: ClientLimits = ClientLimits(),
        connector: any SocketConnector = DialerConnector(),
        clock: some Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        token: @escaping @Sendable () async throws -> String
    ) {
        self.url = url
        self.device = device
        self.isBackground = isBackground
        self.limits = limits
        self.connector = connector
        self.generator = generator
        self.token = token
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        backoff = Backoff(first: limits.backoffFirst, most: limits.backoffMax)
        sendBackoff = Backoff(first: limits.backoffFirst, most: limits.backoffMax)
        outgoing = OutgoingQueue(
            most: limits.outgoingMax, bytesMost: limits.outgoingBytesMax, atOnce: limits.outgoingAtOnce)
        buffer = EventBuffer(most: limits.eventsMax)
        recent = RecentEvents(most: limits.recentMax)
    }

    deinit {
        for ring in alarms.values { ring.task.cancel() }
        inbox?.finish()
        socket?.close(code: 1000, reason: "")
    }

    /// What happens, for one reader: a second one at the same time gets nothing. An event counts as processed, and is
    /// acked, when the next one is asked for; what a reader broke off at comes again on the next connection. It ends
    /// when the session is over for good.
    public nonisolated var events: AsyncStream<RoostEvent> {
        AsyncStream { await self.nextEvent() }
    }
}
