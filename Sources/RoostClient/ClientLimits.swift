/// Every bound of the client in one place, each with its reason. What happens at each one is said where it is thrown
/// or, where nobody waits for an answer, here. A value; it checks nothing itself.
public struct ClientLimits: Sendable {
    /// Commands that wait for a reply at once; a further one throws `tooManyCommands`. More than a person or a bot has
    /// use for, and far below what the server takes in a second.
    public var commandsMax = 64
    /// Messages that wait to be sent or acked; a further one throws `queueFull`. Hours of typing without a network.
    public var outgoingMax = 1_000
    /// Bytes of them.
    public var outgoingBytesMax = 4_194_304
    /// Messages under way at once, each to another destination, so that the order within a conversation survives
    /// every retry.
    public var outgoingAtOnce = 16
    /// Events that wait for the application. When they are more, the client drops the connection and comes back once
    /// the application has caught up; the server delivers again what was not acked.
    public var eventsMax = 2_048
    /// Messages that arrived and wait to be read, and their bytes: the connection is dropped beyond that.
    public var inboxMax = 2_048
    /// See `inboxMax`.
    public var inboxBytesMax = 16_777_216
    /// Durable events remembered to know a repetition: all that can be unacked, and as many again that a power cut of
    /// the server may take back. An older one that comes again is reported again.
    public var recentMax = 8_192
    /// Conversations whose read mark waits to be taken by the server; further ones are not remembered.
    public var readsMax = 1_000
    /// Users watched; the same bound as the server's.
    public var watchedMax = 1_000
    /// Groups of users watched: each is one command after every reconnect, so it stays below `commandsMax`.
    public var watchCallsMax = 32
    /// From dialing to `welcome`: the socket's own ten seconds for the handshake, and the server's ten for `hello`.
    public var welcomeTimeout = Duration.seconds(20)
    /// From a command to its reply. Storing takes milliseconds; ten seconds are a network that is gone.
    public var replyTimeout = Duration.seconds(10)
    /// Without a message for this long the client asks for a sign of life: more than the server's ping interval, and
    /// less than the minutes after which routers forget a connection.
    public var quietTime = Duration.seconds(45)
    /// Over which acks are gathered, unless `ackEvents` come first.
    public var ackDelay = Duration.milliseconds(100)
    /// Events at which an ack is sent at once: a page of the server's.
    public var ackEvents = 100
    /// The range of the first wait before coming back; it doubles from try to try (Docs/Protocol.md, section 10).
    public var backoffFirst = Duration.milliseconds(500)
    /// The range of the longest wait.
    public var backoffMax = Duration.seconds(20)
    /// The longest wait that the server may ask for, in `drain` and `retryAfter`.
    public var askedWaitMax = Duration.seconds(300)
    /// How long before its end a token is renewed, or a fifth of its life if that is less.
    public var refreshMargin = Duration.seconds(60)
    /// How long `disconnect` waits for the server to close.
    public var goodbyeTimeout = Duration.seconds(3)

    /// The defaults.
    public init() {}
}
