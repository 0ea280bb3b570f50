public import RoostWire

/// Counts of what a loop has done since it started. Plain integers, written and read on the loop thread; copy the value
/// to share it.
public struct TransportCounters: Sendable, Equatable {
    /// Sockets accepted from the listener, including those refused afterwards.
    public var accepted = 0
    /// Requests refused with 503 because the relay was full.
    public var refusedFull = 0
    /// Requests refused with 429 because their address had too many connections.
    public var refusedAddress = 0
    /// Requests refused with 429 because their address had sent too many.
    public var refusedRate = 0
    /// Connections that gave way to newcomers before they were welcomed.
    public var gaveWay = 0
    /// Connections cut because all unfinished messages together took too much memory.
    public var partialsCut = 0
    /// Turns that were cut, because many came or went at once.
    public var turnsCut = 0
    /// Sockets refused with 503 because the process had no file descriptor left.
    public var refusedDescriptor = 0
    /// Connections whose TLS failed before they were open.
    public var refusedTLS = 0
    /// Upgrades that the transport refused: malformed, wrong path, version or subprotocol.
    public var refusedUpgrade = 0
    /// Upgrades that the handler refused.
    public var refusedByHandler = 0
    /// Plain HTTP requests answered.
    public var requests = 0
    /// HTTP connections cut because they sent further requests without reading the response.
    public var cutUnread = 0
    /// WebSocket connections opened.
    public var opened = 0
    /// Connections that the peer ended with a close frame.
    public var closedByPeer = 0
    /// Connections that ended because this side closed them.
    public var closedByServer = 0
    /// Connections that the transport itself failed, by code.
    public var failed: [CloseCode: Int] = [:]
    /// Connections that ended without a close frame from either side.
    public var dropped = 0
    /// Whole messages received.
    public var messagesIn = 0
    /// Payload bytes received.
    public var bytesIn = 0
    /// Bytes written to WebSocket connections, headers included.
    public var bytesOut = 0
    /// Writes to WebSocket connections.
    public var writes = 0

    /// Length of turns, from the loop's waking up to its going to sleep, in microseconds.
    public var turnMicroseconds = BucketHistogram(bounds: BucketHistogram.works)
    /// Delay of the handler's timer, in milliseconds.
    public var timerLateMilliseconds = BucketHistogram(bounds: BucketHistogram.waits)

    /// All zero.
    public init() {}
}
