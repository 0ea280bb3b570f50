public import RoostTLS

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

    /// With what it speaks TLS; nil for plain text. It can be replaced while the loop runs (`EventLoop.renew`).
    public var certificate: TLSContext?
    /// Paths, with everything below, for which a client needs a certificate.
    public var certifiedPaths: Set<String> = []

    /// Proxies trusted to name their clients: by `X-Forwarded-For`, and by the PROXY protocol if `takesProxyHeader` is
    /// on.
    public var proxies = ProxyList()
    /// Whether connections of these proxies begin with a header of the PROXY protocol, version 1 or 2. Whether they do
    /// is never guessed, because a client could send such a header through a proxy that doesn't.
    public var takesProxyHeader = false

    /// Most sockets at once, without the reserve. Each takes about 2 KiB before its hello.
    public var connectionsMax = 10_000
    /// Most sockets of one address. The default has room for a large office behind one NAT. The server sets it to
    /// `limits.connections_per_address` of the configuration.
    public var connectionsPerAddressMax = 1_000
    /// Most connections that have not been welcomed: a quarter of all. Honest clients are strangers for the time of
    /// two round trips, so this is enough for thousands who come in a second.
    public var strangersMax = 2_500
    /// Most of them of one address. Ten addresses have to work together to fill `strangersMax`, and an office of 1,000
    /// that comes back at once is in within some seconds.
    public var strangersPerAddressMax = 250
    /// Further sockets, for health pages when there is no room. Several times `acceptsPerTurn`, so that a request that
    /// comes with its connection is read before others take its place.
    public var reserveMax = 256
    /// Paths that are answered in the reserve, because a supervisor would kill a relay that is only full.
    public var reservedPaths: Set<String> = []
    /// Most plain HTTP requests of one address in a second. Further ones are refused with 429. A page takes some 20 µs.
    public var requestsPerSecond = 200
    /// Paths whose requests aren't counted, because they are cheap and a supervisor must get its answer.
    public var unmeteredPaths: Set<String> = []
    /// Most connections accepted in one turn of the loop, so that a storm can't starve the open connections.
    public var acceptsPerTurn = 64
    /// Connections that may come, send a request or `hello`, or go, before those who are welcome and talk get their
    /// turn. With libwebsockets 4.1 each takes 20 to 45 µs, so that is 10 ms. To see who talks takes 1 ms with 10,000
    /// guests.
    public var changesPerTurn = 256
    /// Most of them that are read then. Messages take 10 to 20 µs, so that is some 5 ms, and no client that connects or
    /// disconnects waits for ever.
    public var talkersPerCut = 256
    /// Most bytes read from one connection in one turn of the loop. Many, because messages read together are answered
    /// by one write. Few, so that a turn stays short for the other connections.
    public var readBytes: UInt32 = 4_096
    /// Most sockets that are kept after everything was sent, until their peer ends. A flood of refusals must not use up
    /// descriptors, so beyond this number sockets are closed at once.
    public var leaversMax = 64
    /// Connections that the kernel queues while a turn lasts (capped by net.core.somaxconn).
    public var backlog: Int32 = 4_096

    /// Most bytes of a message, all its fragments together. A longer one closes the connection with 1009. Same as
    /// `Limits.frameBytes`.
    public var frameBytesMax = 262_144
    /// Most bytes of a message before the connection is welcomed. Same as `Limits.helloBytes`.
    public var strangerBytesMax = 8_192
    /// Most bytes of memory for unfinished messages of all connections. Beyond that, the connection whose message has
    /// been unfinished for longest is closed with 4005. 500 of the longest messages fit.
    public var partialBytesMax = 67_108_864
    /// Control frames and empty fragments of one connection per second, sustained. More close it with 4008. Clients
    /// ping every few seconds; each costs as much as a small message.
    public var controlFramesPerSecond = 20
    /// Most of them at once. Enough for a client that was held up for minutes.
    public var controlFramesBurst = 200
    /// Most fragments of a message. More close the connection with 1009. Clients split at 4 KiB or more; this allows
    /// even 128-byte pieces of the longest message. Without it, empty fragments could keep the loop busy.
    public var fragmentsMax = 1_024
    /// Most bytes in one write. The default send buffer of Linux takes no more at once.
    public var writeBytes = 131_072
    /// Most bytes that wait for a socket that takes no more, if TLS itself adds to them: one write with its records, a
    /// close frame, pongs, and what a handshake has to say.
    public var unsentBytesMax = 196_608

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

extension TransportSettings {
    var admissionBounds: Admission<Connection>.Bounds {
        .init(
            sockets: connectionsMax, socketsPerAddress: connectionsPerAddressMax, strangers: strangersMax,
            strangersPerAddress: strangersPerAddressMax, reserve: reserveMax, requestsPerSecond: requestsPerSecond,
            proxies: proxies)
    }
}
