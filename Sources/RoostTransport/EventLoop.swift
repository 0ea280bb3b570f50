internal import Glibc
public import RoostTLS

/// A WebSocket server on one loop. It listens, accepts, and passes messages to its handler. It owns the sockets; the
/// handler decides what messages mean. Everything except `mailbox` belongs to the thread that calls `run`. It must not
/// be released while it runs.
public final class EventLoop<Handler: TransportHandler> {
    /// Passes letters from other threads to the handler.
    public let mailbox: Mailbox<Handler.Letter>
    // The core holds the handler unretained.
    private let handler: Handler
    private let core: ServerCore

    /// Binds and listens, so that `port` is known. Connections wait in the kernel until `run`.
    public init(_ settings: TransportSettings, handler: Handler) throws(TransportFailure) {
        core = try ServerCore(settings)
        mailbox = Mailbox(wake: core.library.wake)
        self.handler = handler
        core.events = handler
        core.onWake = { [mailbox, unowned handler] in
            let letters = mailbox.take()
            if !letters.isEmpty { handler.delivered(letters) }
        }
    }

    deinit {
        core.closeListener()
        core.events = nil
        core.onWake = {}
    }

    /// The port it listens on.
    public var port: UInt16 { core.port }

    /// Handles events on the calling thread until `stop`.
    public func run() { core.run() }

    /// Ends `run` after this turn. Open connections stay as they are, so close them first. Loop thread only.
    public func stop() { core.library.stop() }

    /// Calls the handler's `timer` once, after this many milliseconds. Replaces an earlier call, whichever is sooner.
    /// Loop thread only, or before `run`.
    public func setTimer(afterMilliseconds: Int64) { core.setTimer(afterMilliseconds: afterMilliseconds) }

    /// Makes another turn at once, after handling what has arrived until then. Yields first: on a machine with one
    /// core, other threads that were woken then run now and not at the end of a time slice. Loop thread only.
    public func goOn() {
        core.library.wake.send()
        sched_yield()
    }

    /// Closes the listener. Open connections stay. Loop thread only.
    public func stopAccepting() { core.closeListener() }

    /// CLOCK_MONOTONIC in milliseconds. It is read at most once a turn, so it stands still during a turn.
    public var monotonicMilliseconds: Int64 { core.monotonicMilliseconds }

    /// New connections speak TLS with this certificate; those that are open keep theirs. It must speak TLS already.
    /// Loop thread only.
    public func renew(_ certificate: TLSContext) {
        if core.listener.certificate != nil { core.listener.certificate = certificate }
    }

    /// Number of open WebSocket connections.
    public var connectionCount: Int { core.openCount }

    /// Number of sockets of any kind, the listener's included.
    public var descriptorCount: Int { core.socketCount + core.listener.descriptorCount }

    /// Number of connections that have not been welcomed.
    public var strangerCount: Int { core.admission.strangers }

    /// Bytes of memory that unfinished messages take.
    public var partialBytes: Int { core.partialFrames.bytes }

    /// Counts of what has happened since the start.
    public var counters: TransportCounters { core.counters }
}
