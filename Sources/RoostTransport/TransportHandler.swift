/// The server's side of the transport. Every method is called on the loop thread and must not block: all connections
/// wait while it runs. It may call any method of `EventLoop` and `Connection` from inside.
public protocol TransportHandler: AnyObject {
    /// What other threads put into the mailbox.
    associatedtype Letter: Sendable

    /// A well-formed upgrade to the socket path. `nil` accepts it; a response refuses it (403 origin, 503 draining).
    func admit(_ request: UpgradeRequest) -> HTTPResponse?
    /// The handshake is done; messages follow.
    func opened(_ connection: Connection)
    /// One whole text message, valid UTF-8. The bytes end with the call.
    func received(_ message: UnsafeRawBufferPointer, on connection: Connection)
    /// A pong with a payload arrived. libwebsockets answers the peer's pings itself and does not tell of them.
    func heard(from connection: Connection)
    /// What `write` could not hand over before has left: write again.
    func writable(_ connection: Connection)
    /// The connection ended: exactly once for each `opened`, and the last call for it. `isClean` is true only if the
    /// peer sent a close frame first.
    func closed(_ connection: Connection, isClean: Bool)
    /// A plain GET or HEAD of another path than the socket's.
    func respond(to request: HTTPRequest) -> HTTPResponse
    /// What was posted to the mailbox, in order.
    func delivered(_ letters: [Letter])
    /// The deadline of `setTimer` has passed.
    func timer()
    /// Everything that arrived in this turn was handled: flush every connection that has something to send.
    func turnEnded()
}

/// What the core tells the event loop that owns it: the handler without its associated type, because a C callback can
/// carry no generic parameter.
protocol LoopEvents: AnyObject {
    func admit(_ request: UpgradeRequest) -> HTTPResponse?
    func opened(_ connection: Connection)
    func received(_ message: UnsafeRawBufferPointer, on connection: Connection)
    func heard(from connection: Connection)
    func writable(_ connection: Connection)
    func closed(_ connection: Connection, isClean: Bool)
    func respond(to request: HTTPRequest) -> HTTPResponse
    func woken()
    func timer()
    func turnEnded()
}
