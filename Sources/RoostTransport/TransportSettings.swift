/// Where the transport listens, and its bounds with their reasons. A value; the loop copies it when it starts.
public struct TransportSettings: Sendable {
    /// IPv4 address to listen on. Loopback by default, because a relay without TLS belongs behind a proxy.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 takes any free one, for tests.
    public var port: UInt16 = 0
    /// The only path that is upgraded. The target of a request is compared with it as it was sent.
    public var path = "/v1/socket"
    /// The only subprotocol that is accepted (RFC 6455, section 1.9); nil accepts clients that name none or any.
    public var subprotocol: String? = "roost.v1"
    /// Whether binary messages are accepted. Otherwise one closes the connection with 1003.
    public var takesBinary = false

    /// Most WebSocket connections at once. Further ones are refused with 503. Each takes about 2 KiB before its hello.
    public var connectionsMax = 10_000
    /// Further sockets for plain HTTP and handshakes, so that health checks still get in when the relay is full.
    public var requestSocketsMax = 64
    /// Most sockets of one IPv4 address. Further ones are refused with 429. The default has room for a large office
    /// behind one NAT. The server sets it to `limits.connections_per_address` of the configuration.
    public var connectionsPerAddressMax = 1_000
    /// Most connections accepted in one turn of the loop, so that a storm can't starve the open connections.
    public var acceptsPerTurn = 64
    /// Most bytes read from one connection in one turn of the loop. Many, because messages read together are answered
    /// by one write. Few, so that a turn stays short for everybody else.
    public var readBytes: UInt32 = 4_096
    /// Most sockets that are kept open after an answer before their request was read, and equally many that are kept
    /// after everything was sent, until their peer ends. A flood of refusals must not use up descriptors, so beyond
    /// these numbers sockets are closed at once.
    public var refusedSocketsMax = 64
    /// Connections that the kernel queues while a turn lasts (capped by net.core.somaxconn).
    public var backlog: Int32 = 4_096

    /// Most bytes of a message, all its fragments together. A longer one closes the connection with 1009. Same as
    /// `Limits.frameBytes`.
    public var frameBytesMax = 131_072
    /// Most fragments of a message. More close the connection with 1009. Clients split at 4 KiB or more; this allows
    /// even 128-byte pieces of the longest message. Without it, empty fragments could keep the loop busy.
    public var fragmentsMax = 1_024
    /// Most bytes in one write. The default send buffer of Linux takes no more at once.
    public var writeBytes = 131_072

    /// Most seconds from the first byte of a request (of the first one: from accept) to its complete head, and for the
    /// peer to read an HTTP response.
    public var headerTimeoutSeconds: Int32 = 10
    /// Seconds that an idle HTTP connection is kept for the next request.
    public var keepAliveSeconds: Int32 = 5
    /// Most seconds that a peer has to read what is still to be sent to it, the close frame last; then equally many to
    /// send its own close frame, and equally many to end the connection.
    public var closeFlushSeconds: Int32 = 5
    /// The value of `Retry-After`, in seconds, in the transport's own 429 and 503.
    public var retryAfterSeconds = 5

    /// The defaults.
    public init() {}
}
