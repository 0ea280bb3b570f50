/// Where the transport listens and every bound it keeps, each with its reason. A value; the loop copies it at start.
public struct TransportSettings: Sendable {
    /// IPv4 address to listen on. Loopback unless the operator says otherwise: without TLS it belongs behind a proxy.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 takes any free one, for tests.
    public var port: UInt16 = 0
    /// The only path that is upgraded.
    public var path = "/v1/socket"
    /// The only subprotocol that is spoken (RFC 6455, section 1.9).
    public var subprotocol = "roost.v1"

    /// WebSocket connections at once; further ones are answered 503. About 2.4 KiB of memory each while idle.
    public var connectionsMax = 10_000
    /// Sockets beside those: health checks, scrapes and handshakes still get in when the relay is full.
    public var requestSocketsMax = 64
    /// Sockets of one IPv4 address; further ones are answered 429. Holds a large office behind one NAT; behind a
    /// reverse proxy every client has its address, so set it to `connectionsMax` there.
    public var connectionsPerAddressMax = 1_000
    /// Whether other loops or processes of the same user may listen on the same port (SO_REUSEPORT); the kernel then
    /// spreads connections over them. Off, so that starting a second relay by mistake is an error.
    public var sharesPort = false
    /// Connections accepted in one turn of the loop, so that a storm of them can't starve those that are there.
    public var acceptsPerTurn = 64
    /// Reads of one connection in one turn of the loop, each of at most 1,040 bytes. More than one, because messages
    /// that wait together are then answered by one write; few, so that a turn stays short for everybody else.
    public var readsPerTurn = 4
    /// Connections that the kernel keeps for us while a turn lasts (capped by net.core.somaxconn).
    public var backlog: Int32 = 4_096

    /// Bytes of one message, all its fragments together; a longer one closes with 1009. Same as `Limits.frameBytes`.
    public var frameBytesMax = 131_072
    /// Fragments of one message; more close with 1009. Clients split at 4 KiB or more, so this allows 128-byte pieces
    /// of the longest message; without it, empty fragments would keep the loop busy for nothing.
    public var fragmentsMax = 1_024
    /// Bytes gathered into one write. The default send buffer of Linux takes no more at once.
    public var writeBytes = 131_072

    /// Seconds from accept to a complete request head, and to a complete read of an HTTP response.
    public var headerTimeoutSeconds: UInt32 = 10
    /// Seconds that an idle HTTP connection is kept for the next request; longer than a scraper's pipelining needs.
    public var keepAliveSeconds: Int32 = 5
    /// What `Retry-After` says in a 429 or 503 of the transport's own.
    public var retryAfterSeconds = 5

    /// The defaults.
    public init() {}
}
