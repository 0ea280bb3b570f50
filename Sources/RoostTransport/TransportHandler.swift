public import RoostWire

/// The events that a server's loop passes to its handler. Every method is called on the loop thread and must not block,
/// because all connections wait meanwhile. A method may call any method of `EventLoop` and `Connection`.
public protocol TransportEvents: AnyObject {
    /// A well-formed upgrade to the socket path arrived. Return nil to accept it, or a response to refuse it (such as
    /// 403 for a wrong origin, or 503 while draining).
    func admit(_ request: UpgradeRequest) -> HTTPResponse?
    /// A request is answered with a refusal, the handler's own or the transport's. For a log.
    func refused(_ connection: Connection, _ response: HTTPResponse)
    /// The handshake is done, and messages follow.
    func opened(_ connection: Connection)
    /// One whole text message in valid UTF-8. The bytes are valid only during the call.
    func received(_ message: UnsafeRawBufferPointer, on connection: Connection)
    /// One whole binary message, if the settings accept any. The bytes are valid only during the call.
    func receivedBinary(_ message: UnsafeRawBufferPointer, on connection: Connection)
    /// Bytes of frames arrived: messages, which `received` gets next, pings, pongs, or a part of any frame.
    func heard(from connection: Connection)
    /// The socket has taken what it could not take in an earlier `write`: write again.
    func writable(_ connection: Connection)
    /// The connection has ended. Called exactly once for each `opened`, and last.
    func closed(_ connection: Connection, by end: ConnectionEnd)
    /// A plain GET or HEAD of another path than the socket's.
    func respond(to request: HTTPRequest) -> HTTPResponse
    /// The deadline of `setTimer` has passed.
    func timer()
    /// Everything that arrived in this turn has been handled: flush every connection that has something to send.
    func turnEnded()
}

extension TransportEvents {
    /// Ignores it.
    public func refused(_ connection: Connection, _ response: HTTPResponse) {}

    /// Ignores it.
    public func receivedBinary(_ message: UnsafeRawBufferPointer, on connection: Connection) {}
}

/// The way in which a connection ended.
public enum ConnectionEnd: Sendable, Equatable {
    /// The peer sent a close frame first.
    case peer
    /// This side closed it: the handler by `close`, or the transport to make room for another.
    case server
    /// The transport failed it with this code, for what the peer sent or for taking too much memory.
    case failure(CloseCode)
    /// It ended without a close frame.
    case loss
}

/// The server's side of the transport: it handles events, and letters from other threads. Letters are apart from the
/// events because C callbacks reach the handler through `any TransportEvents`, which can't have an associated type.
public protocol TransportHandler: TransportEvents {
    /// A message that other threads put into the mailbox.
    associatedtype Letter: Sendable

    /// Letters that were posted to the mailbox, in order. Called on the loop thread.
    func delivered(_ letters: [Letter])
}
