internal import Glibc

/// A WebSocket server on one loop: listens, accepts, and tells its handler what arrives. It owns the sockets; the
/// handler owns what they mean. Everything but `mailbox` belongs to the thread that calls `run`. It must not be
/// released while it runs.
public final class EventLoop<Handler: TransportHandler>: LoopEvents {
    /// How other threads reach the handler.
    public let mailbox: Mailbox<Handler.Letter>
    private let handler: Handler
    private let core: ServerCore

    /// Binds and listens, so that `port` is known. Connections wait in the kernel until `run`.
    public init(_ settings: TransportSettings, handler: Handler) throws(TransportFailure) {
        core = try ServerCore(settings)
        mailbox = Mailbox(wake: core.library.wake)
        self.handler = handler
        core.events = self
    }

    deinit {
        core.closeListener()
        core.events = nil
    }

    /// The port it listens on.
    public var port: UInt16 { core.port }

    /// Handles events on the calling thread until `stop`.
    public func run() { core.run() }

    /// Ends `run` after this turn. Open connections are left as they are: close them first. On the loop thread.
    public func stop() { core.library.stop() }

    /// Asks for `timer` once, that many milliseconds from now; a later call replaces an earlier one, whichever is
    /// sooner. On the loop thread, or before `run`.
    public func setTimer(afterMilliseconds: Int64) { core.setTimer(afterMilliseconds: afterMilliseconds) }

    /// Makes another turn at once, after what has arrived until then. On one core, other threads that were woken have
    /// their turn before it, and not at the end of a time slice. On the loop thread.
    public func goOn() {
        core.library.wake.send()
        sched_yield()
    }

    /// Closes the listener; connections that are there stay. On the loop thread.
    public func stopAccepting() { core.closeListener() }

    /// CLOCK_MONOTONIC in milliseconds, read at most once a turn, so it stands still while a turn lasts.
    public var monotonicMilliseconds: Int64 { core.monotonicMilliseconds }

    /// WebSocket connections that are open.
    public var connectionCount: Int { core.openCount }

    /// What happened since the start.
    public var counters: TransportCounters { core.counters }

    func admit(_ request: UpgradeRequest) -> HTTPResponse? { handler.admit(request) }
    func opened(_ connection: Connection) { handler.opened(connection) }
    func received(_ message: UnsafeRawBufferPointer, on connection: Connection) {
        handler.received(message, on: connection)
    }
    func heard(from connection: Connection) { handler.heard(from: connection) }
    func writable(_ connection: Connection) { handler.writable(connection) }
    func closed(_ connection: Connection, isClean: Bool) { handler.closed(connection, isClean: isClean) }
    func respond(to request: HTTPRequest) -> HTTPResponse { handler.respond(to: request) }
    func woken() {
        let letters = mailbox.take()
        if !letters.isEmpty { handler.delivered(letters) }
    }
    func timer() { handler.timer() }
    func turnEnded() { handler.turnEnded() }
}
