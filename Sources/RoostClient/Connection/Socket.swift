/// One WebSocket connection, as the client needs it. `DialedSocket` is the real one; tests bring their own.
public protocol Socket: Sendable {
    /// Queues a text message; false, and nothing queued, if the connection isn't open or its queue is full.
    func send(_ text: [UInt8]) -> Bool
    /// Closes with this code after what is queued has been sent. Called at any time, also more than once.
    func close(code: UInt16, reason: String)
}

/// What happens to a socket, in this order: `failed`, or `opened`, any number of `text`, and `closed`.
public enum SocketEvent: Sendable, Equatable {
    /// The handshake is done.
    case opened
    /// A whole text message.
    case text([UInt8])
    /// It was open and is not any more; 1006 if nobody said why.
    case closed(code: UInt16, reason: String)
    /// It never opened.
    case failed(reason: String)
}

/// Where sockets come from.
public protocol SocketConnector: Sendable {
    /// Begins to connect. `onEvent` may be called on any thread, one call at a time. Throws if the URL can't be used.
    func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any Socket
}

/// A socket that can't be made at all.
public struct SocketFailure: Error, Sendable, Equatable {
    /// One line.
    public var reason: String

    /// Says why.
    public init(_ reason: String) { self.reason = reason }
}
