internal import CLibwebsockets
internal import Glibc
internal import RoostTLS
import Synchronization

/// One libwebsockets context on one libev loop of our own, for a server or for dialers. It adds a wake-up from other
/// threads and timeouts that fire on time. Loop's thread only. It is never freed: destroying a context of libwebsockets
/// 4.1 on a foreign loop isn't reliable, and a process has only one or two of them.
final class LibraryContext {
    /// The libev loop.
    let loop: OpaquePointer
    /// Wakes the loop from any thread.
    let wake: Wake
    private(set) var context: OpaquePointer?
    private let heartbeat: UnsafeMutablePointer<shim_heartbeat>
    private let async: UnsafeMutablePointer<ev_async>
    // The thread that is in `run`.
    private var thread: pthread_t?

    /// Creates the loop. Nothing is watched yet.
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

    /// Prepares for wake-ups. They may be sent from now on, and `run` handles them. The callback finds `owner` in
    /// `data`; it must outlive the last turn.
    func prepareWake(
        owner: UnsafeMutableRawPointer,
        woken: @convention(c) (OpaquePointer?, UnsafeMutablePointer<ev_async>?, Int32) -> Void
    ) {
        shim_ev_async_init(async, woken, owner)
        // libev opens its pipe for wake-ups when the first such watcher starts. Sending before that is forbidden.
        ev_async_start(loop, async)
        ev_async_stop(loop, async)
    }

    // The library initializes state of the whole process when it creates a context, so only one thread may do it at
    // once.
    private static let creating = Mutex(())

    /// Creates the context. `protocols` must end with a zeroed element, and is never freed, as libwebsockets demands.
    /// All sockets share the buffer of `readBytes`, except WebSocket clients, which have their own.
    func create(
        protocols: UnsafeMutablePointer<lws_protocols>,
        options: Int64,
        timeoutSeconds: UInt32? = nil,
        readBytes: UInt32? = nil,
        caFile: String? = nil
    ) throws(TransportFailure) {
        precondition(context == nil, "a loop has one context")
        let foreign = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
        foreign.initialize(to: UnsafeMutableRawPointer(loop))
        var info = LibraryContext.info(protocols: protocols, options: options)
        info.foreign_loops = foreign
        if let timeoutSeconds { info.timeout_secs = timeoutSeconds }
        if let readBytes { info.pt_serv_buf_size = readBytes + UInt32(shim_lws_pre()) }
        if let caFile { info.client_ssl_ca_filepath = UnsafePointer(strdup(caFile)) }
        let made = LibraryContext.creating.withLock { _ in
            TLSLibrary.staysUntilTheEnd()
            return Made(pointer: lws_create_context(&info))
        }
        guard let context = made.pointer else { throw .library("lws_create_context") }
        self.context = context
        shim_heartbeat_start(heartbeat, context)
    }

    /// Adds a vhost without a listener of the library's own.
    func addVhost(
        protocols: UnsafeMutablePointer<lws_protocols>,
        options: Int64
    ) throws(TransportFailure) -> OpaquePointer {
        precondition(context != nil, "a vhost belongs to a context")
        var info = LibraryContext.info(protocols: protocols, options: options)
        guard let vhost = lws_create_vhost(context, &info) else { throw .library("lws_create_vhost") }
        return vhost
    }

    /// Makes libwebsockets check its own timers in the next turn, unless the loop is busy.
    func serveTimers() { lws_cancel_service(context) }

    /// Runs turns until `stop`. The library can only arm its timer when the loop is idle once, so that comes first.
    /// Then `begin` starts the watchers that may keep the loop busy.
    func run(begin: () -> Void) {
        precondition(thread == nil, "a loop runs on one thread")
        thread = pthread_self()
        defer { thread = nil }
        serveTimers()
        for _ in 0..<LibraryContext.warmUpTurns { shim_ev_turn(loop) }
        begin()
        ev_async_start(loop, async)
        // Handles what was posted before.
        wake.send()
        ev_run(loop, 0)
    }

    // One turn for the library's wake-up, one for ours, one to be idle, and one to spare.
    private static let warmUpTurns = 4

    /// Ends `run` after this turn. Loop's thread only.
    func stop() {
        precondition(isHere, "only the loop's thread stops it")
        shim_ev_break(loop)
    }

    /// Whether no other thread is in `run`.
    var isHere: Bool {
        guard let thread else { return true }
        return pthread_equal(thread, pthread_self()) != 0
    }

    // Sets a retry policy of zeroes. Otherwise every connection gets a keepalive timer in one sorted list. The library
    // walks that from its head, so n connects cost n² steps.
    private static func info(
        protocols: UnsafeMutablePointer<lws_protocols>,
        options: Int64
    ) -> lws_context_creation_info {
        let noValidityTimers = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
        noValidityTimers.initialize(to: lws_retry_bo_t())
        var info = lws_context_creation_info()
        info.options = UInt64(truncatingIfNeeded: options) | UInt64(LWS_SERVER_OPTION_LIBEV)
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.protocols = UnsafePointer(protocols)
        info.retry_and_idle_policy = UnsafePointer(noValidityTimers)
        info.gid = -1
        info.uid = -1
        // fd_limit_per_thread stays 0. With a table smaller than RLIMIT_NOFILE, every look-up would be a linear search.
        return info
    }
}

// Carries a pointer out of a lock.
private struct Made: @unchecked Sendable {
    let pointer: OpaquePointer?
}
