internal import CLibwebsockets
internal import Glibc
import Synchronization

/// One libwebsockets context on one libev loop of our own, with what both servers and dialers need beside it: a wake
/// from other threads, and timeouts that come in time. Used on the loop's thread only. It is never freed: destroying a
/// context of libwebsockets 4.1 on a foreign loop is not reliable, and a process has one or two of them for its whole
/// life.
final class LibraryContext {
    /// The libev loop.
    let loop: OpaquePointer
    /// Wakes the loop from any thread.
    let wake: Wake
    private(set) var context: OpaquePointer?
    private let heartbeat: UnsafeMutablePointer<shim_heartbeat>
    private let async: UnsafeMutablePointer<ev_async>

    /// Makes the loop; nothing is watched yet.
    init() throws(TransportFailure) {
        LibraryLog.install()
        signal(SIGPIPE, SIG_IGN)
        guard let loop = shim_ev_loop_new() else { throw .library("ev_loop_new") }
        self.loop = loop
        async = .allocate(capacity: 1)
        async.initialize(to: ev_async())
        heartbeat = .allocate(capacity: 1)
        heartbeat.initialize(to: shim_heartbeat())
        wake = Wake(loop: loop, watcher: async)
    }

    /// Prepares for wakes, which may be sent from here on; `run` sees to them. `owner` is what the callback finds in
    /// `data`; it outlives the last turn.
    func prepareWake(
        owner: UnsafeMutableRawPointer,
        woken: @convention(c) (OpaquePointer?, UnsafeMutablePointer<ev_async>?, Int32) -> Void
    ) {
        shim_ev_async_init(async, woken, owner)
        // libev opens the pipe for wakes with the first such watcher, and forbids sending before.
        ev_async_start(loop, async)
        ev_async_stop(loop, async)
    }

    // The library sets up state of the whole process when it makes a context.
    private static let creating = Mutex(())

    /// Creates the context. `protocols` ends with a zeroed element and is kept for ever, as libwebsockets demands.
    func create(
        protocols: UnsafeMutablePointer<lws_protocols>,
        options: Int64,
        timeoutSeconds: UInt32,
        caFile: String? = nil
    ) throws(TransportFailure) {
        let foreign = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
        foreign.initialize(to: UnsafeMutableRawPointer(loop))
        var info = LibraryContext.info(protocols: protocols, options: options, timeoutSeconds: timeoutSeconds)
        info.foreign_loops = foreign
        if let caFile { info.client_ssl_ca_filepath = UnsafePointer(strdup(caFile)) }
        let made = LibraryContext.creating.withLock { _ in Made(pointer: lws_create_context(&info)) }
        guard let context = made.pointer else { throw .library("lws_create_context") }
        self.context = context
        shim_heartbeat_start(heartbeat, context)
    }

    /// Adds a vhost without a listener of the library's own.
    func addVhost(
        protocols: UnsafeMutablePointer<lws_protocols>,
        options: Int64,
        timeoutSeconds: UInt32,
        keepAliveSeconds: Int32
    ) throws(TransportFailure) -> OpaquePointer {
        var info = LibraryContext.info(protocols: protocols, options: options, timeoutSeconds: timeoutSeconds)
        info.keepalive_timeout = keepAliveSeconds
        guard let vhost = lws_create_vhost(context, &info) else { throw .library("lws_create_vhost") }
        return vhost
    }

    /// Makes libwebsockets look at its own timers in the next turn, unless the loop is busy.
    func serveTimers() { lws_cancel_service(context) }

    /// Has the library read from a socket as if the loop had found it readable; nothing happens if it isn't.
    func read(_ wsi: OpaquePointer) {
        var state = pollfd(fd: lws_get_socket_fd(wsi), events: Int16(POLLIN), revents: Int16(POLLIN))
        lws_service_fd(context, &state)
    }

    /// Runs turns until `stop`. First it lets the library arm its timer, for which the loop has to be idle once; then
    /// `begin` starts the watchers that may keep it busy from there on.
    func run(begin: () -> Void) {
        serveTimers()
        for _ in 0..<LibraryContext.warmUpTurns { shim_ev_turn(loop) }
        begin()
        ev_async_start(loop, async)
        // For what was posted before.
        wake.send()
        ev_run(loop, 0)
    }

    // One for each wake that may be there, the library's and ours, one to be idle, and one to spare.
    private static let warmUpTurns = 4

    /// Ends `run` after this turn. On the loop's thread.
    func stop() { shim_ev_break(loop) }

    // A policy of zeroes: without it every connection gets a keepalive timer in one sorted list that is walked from
    // its head, which makes n connects cost n² steps.
    private static func info(
        protocols: UnsafeMutablePointer<lws_protocols>,
        options: Int64,
        timeoutSeconds: UInt32
    ) -> lws_context_creation_info {
        let noValidityTimers = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
        noValidityTimers.initialize(to: lws_retry_bo_t())
        var info = lws_context_creation_info()
        info.options = UInt64(truncatingIfNeeded: options) | UInt64(LWS_SERVER_OPTION_LIBEV)
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.protocols = UnsafePointer(protocols)
        info.retry_and_idle_policy = UnsafePointer(noValidityTimers)
        info.timeout_secs = timeoutSeconds
        info.timeout_secs_ah_idle = timeoutSeconds
        info.gid = -1
        info.uid = -1
        // fd_limit_per_thread stays 0: a smaller table than RLIMIT_NOFILE turns every look-up into a linear search.
        return info
    }
}

// A pointer on its way out of a lock.
private struct Made: @unchecked Sendable {
    let pointer: OpaquePointer?
}
