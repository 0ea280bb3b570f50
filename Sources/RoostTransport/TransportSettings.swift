/// Where the transport listens, and its bounds with their reasons. A value; the loop copies it when it starts.
public struct TransportSettings: Sendable {
    /// IPv4 address to listen on. Loopback by default, because a relay without TLS belongs behind a proxy.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 takes any free one, for tests.
    public var port: UInt16 = 0
    /// The only path that is upgraded.
    public var path = "/v1/socket"
    /// The only subprotocol that is accepted (RFC 6455, section 1.9).
    public var subprotocol = "roost.v1"

    /// Most WebSocket connections at once. Further ones are refused with 503. Each takes about 2.4 KiB while idle.
    public var connectionsMax = 10_000
    /// Further sockets for plain HTTP and handshakes, so that health checks still get in when the relay is full.
    public var requestSocketsMax = 64
    /// Most sockets of one IPv4 address. Further ones are refused with 429. The default has room for a large office
    /// behind one NAT. The server sets it to `limits.connections_per_address` of the configuration.
    public var connectionsPerAddressMax = 1_000
    /// Most connections accepted in one turn of the loop, so that a storm can't starve the open connections.
    public var acceptsPerTurn = 64
    /// Most reads of one connection in one turn of the loop, each of at most 1,040 bytes. More than one, because
    /// messages read together are answered by one write. Few, so that a turn stays short for everybody else.
    public var readsPerTurn = 4
    /// Most sockets that are kept open after an answer before their request was read. A flood of refusals must not use
    /// up descriptors, so beyond this number sockets are closed at once.
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

    /// Most seconds from accept to a complete request head, and for the peer to read an HTTP response.
    public var headerTimeoutSeconds: UInt32 = 10
    /// Seconds that an idle HTTP connection is kept for the next request.
    public var keepAliveSeconds: Int32 = 5
    /// Most seconds that a peer has to read what the library still holds for it, before a close frame can go out. The
    /// library waits equally long for the peer's own close frame.
    public var closeFlushSeconds: Int32 = 5
    /// The value of `Retry-After`, in seconds, in the transport's own 429 and 503.
    public var retryAfterSeconds = 5

    /// The defaults.
    public init() {}
}
