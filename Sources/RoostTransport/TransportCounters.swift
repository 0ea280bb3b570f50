/// What a loop has done since it started. Plain integers, written and read on the loop thread; copy it to share it.
public struct TransportCounters: Sendable, Equatable {
    /// Sockets taken from the listener, refused ones included.
    public var accepted = 0
    /// Sockets answered 503 at once because all places were taken.
    public var refusedFull = 0
    /// Sockets answered 429 at once because their address had enough.
    public var refusedAddress = 0
    /// Sockets answered 503 at once because the process had no file descriptor left.
    public var refusedDescriptor = 0
    /// Upgrades that the transport refused: malformed, wrong path, version or subprotocol, or no place left.
    public var refusedUpgrade = 0
    /// Upgrades that the handler refused.
    public var refusedByHandler = 0
    /// Plain HTTP requests answered.
    public var requests = 0
    /// HTTP connections cut because they asked for more without reading what they had asked for.
    public var cutUnread = 0
    /// WebSocket connections opened.
    public var opened = 0
    /// Connections that ended with a close frame that the peer sent first.
    public var closedByPeer = 0
    /// Connections that ended because this side closed them.
    public var closedByServer = 0
    /// Connections that ended without either.
    public var dropped = 0
    /// Whole messages received.
    public var messagesIn = 0
    /// Bytes of their payloads.
    public var bytesIn = 0
    /// Bytes written to WebSocket connections, headers included.
    public var bytesOut = 0
    /// Writes that carried them.
    public var writes = 0

    /// All zero.
    public init() {}
}
