/// One WebSocket connection, as the client needs it. The modules `RoostClientLibwebsockets` and
/// `RoostClientURLSession` have real ones; one suite, `ConnectorContract`, tests them all.
public protocol ClientSocket: Sendable {
    /// Queues a text message. Returns false and queues nothing if the connection isn't open or its queue is full.
    func send(_ text: [UInt8]) -> Bool
    /// Closes with this code after all queued messages were sent. May be called at any time and repeatedly.
    func close(code: UInt16, reason: String)
}

/// An event of a socket. A try gives either `failed`, or `opened`, any number of `text`, and `closed`.
public enum SocketEvent: Sendable, Equatable {
    /// The handshake has succeeded.
    case opened
    /// A whole text message.
    case text([UInt8])
    /// The connection has ended; the code is 1006 if there was no close frame.
    case closed(code: UInt16, reason: String)
    /// The connection never opened. `isRefused` says whether a server answered and won't have this client, or isn't to
    /// be trusted, so that another try will end like this one.
    case failed(reason: String, isRefused: Bool = false)
}

/// Opens sockets.
public protocol SocketConnector: Sendable {
    /// Begins to connect. `onEvent` may be called on any thread, one call at a time. Throws if the URL can't be used.
    func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any ClientSocket
}

/// Why a socket can't be opened at all.
public struct SocketFailure: Error, Sendable, Equatable {
    /// One line.
    public var reason: String

    /// Creates a failure.
    public init(_ reason: String) { self.reason = reason }
}
