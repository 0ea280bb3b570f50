/// All bounds of the client with their reasons. The effect of a bound is described where the error is thrown, or here
/// if no caller waits for an answer. A value; it checks nothing itself.
public struct ClientLimits: Sendable {
    /// Most commands waiting for a reply. A further one throws `tooManyCommands`. More than a person or a bot needs,
    /// and far below what the server accepts in a second.
    public var commandsMax = 64
    /// Most messages waiting to be sent or acked. A further one throws `queueFull`. Enough for hours of typing without
    /// a network.
    public var outgoingMax = 1_000
    /// Most bytes of messages waiting to be sent or acked.
    public var outgoingBytesMax = 4_194_304
    /// Most messages under way, each to another destination, so that the order within a conversation survives every
    /// retry.
    public var outgoingAtOnce = 16
    /// Most events waiting for the application. With more, the client drops the connection, and reconnects once the
    /// application has caught up. The server then delivers again what was not acked.
    public var eventsMax = 2_048
    /// Most messages that arrived and wait to be read. Beyond that, or beyond `inboxBytesMax`, the connection is
    /// dropped.
    public var inboxMax = 2_048
    /// Most bytes of such messages; see `inboxMax`.
    public var inboxBytesMax = 16_777_216
    /// Most durable events remembered to detect repetitions: as many as can be unacked, and as many again, which a
    /// power cut of the server may take back. A repetition of an older one is reported again.
    public var recentMax = 8_192
    /// Most conversations whose read mark waits for the server. Further ones are not remembered.
    public var readsMax = 1_000
    /// Most users watched, the same bound as the server's.
    public var watchedMax = 1_000
    /// Most groups of users watched. Each is one command after every reconnect, so it stays below `commandsMax`.
    public var watchCallsMax = 32
    /// Most conversations of which the number of members online is watched. Each is one command after every reconnect,
    /// too.
    public var countsMax = 16
    /// Longest time from connecting to `welcome`: ten seconds of the socket for the handshake, and ten of the server
    /// for `hello`.
    public var welcomeTimeout = Duration.seconds(20)
    /// Longest time from a command to its reply. Storing takes milliseconds, so after ten seconds the network is gone.
    public var replyTimeout = Duration.seconds(10)
    /// After this long without a message, the client asks for a sign of life. It is longer than the server's ping
    /// interval, and shorter than the minutes after which routers forget a connection.
    public var quietTime = Duration.seconds(45)
    /// Time over which acks are collected, unless `ackEvents` is reached first.
    public var ackDelay = Duration.milliseconds(100)
    /// Number of events after which an ack is sent at once: one page of the server's.
    public var ackEvents = 100
    /// Range of the first wait before reconnecting. It doubles with every try (Docs/Protocol.md, section 10).
    public var backoffFirst = Duration.milliseconds(500)
    /// Range of the longest wait.
    public var backoffMax = Duration.seconds(20)
    /// Longest wait that the server may ask for, in `drain` and `retryAfter`.
    public var askedWaitMax = Duration.seconds(300)
    /// A token is renewed this long before it expires, or after four fifths of its life if that is earlier.
    public var refreshMargin = Duration.seconds(60)
    /// Longest wait in `disconnect` for the server to close the connection.
    public var goodbyeTimeout = Duration.seconds(3)

    /// The defaults.
    public init() {}
}
