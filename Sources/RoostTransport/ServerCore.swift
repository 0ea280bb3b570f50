internal import CLibwebsockets
internal import Glibc
internal import RoostFraming
internal import RoostWire

/// The part of a server's loop that doesn't depend on the type of the letters: the library, the listener, the watchers,
/// the buffer that all writes share, and the counts that the limits apply to. Loop thread only. The watchers hold it
/// unretained, so its event loop must keep it for as long as turns run.
final class ServerCore {
    let settings: TransportSettings
    let library: LibraryContext
    let port: UInt16
    /// The handler. The event loop that owns this core sets it once, and clears it when it is released.
    unowned(unsafe) var events: (any TransportEvents)?
    /// Delivers the letters in the mailbox. The event loop sets it together with `events`.
    var onWake: () -> Void = {}

    var listener: ListeningSocket
    var vhost: OpaquePointer?
    let watchers = ServerWatchers()

    @exclusivity(unchecked) var counters = TransportCounters()
    /// WebSocket connections that are open.
    @exclusivity(unchecked) var openCount = 0
    /// Sockets that libwebsockets holds for us.
    var socketCount = 0
    var nextID: UInt64 = 1
    @exclusivity(unchecked) var admission: Admission<Connection>
    var timeouts: Timeouts
    @exclusivity(unchecked) var partialFrames: PartialFrames<Connection>
    /// Bounds on frames of a guest, and of anyone else.
    let frameBounds: (guest: FrameReader.Bounds, stranger: FrameReader.Bounds)
    /// Everybody who has been welcomed.
    @exclusivity(unchecked) var guests = GuestTable()
    /// Connections that came, asked or went in this turn.
    @exclusivity(unchecked) var changes = 0
    /// Connections that end with this turn: those that leave, and those whose sockets are closed.
    @exclusivity(unchecked) var ends: (leaving: [Connection], closing: [Connection]) = ([], [])
    /// Connections whose next request waits for the next turn.
    var waiting: [Connection] = []
    /// Connections that have ended for us, and wait for their peers. They are counted nowhere else.
    var leaverCount = 0
    @exclusivity(unchecked) var buffer: WriteBuffer
    private var deadline: Int64?
    /// When the loop last woke up, in nanoseconds.
    @exclusivity(unchecked) var turnBeganAt = ServerCore.readFineClock()
    @exclusivity(unchecked) private var now: Int64?

    init(_ settings: TransportSettings) throws(TransportFailure) {
        self.settings = settings
        listener = try ListeningSocket(settings)
        port = listener.port
        library = try LibraryContext()
        buffer = WriteBuffer(room: max(settings.writeBytes, 4_096))
        admission = Admission(settings.admissionBounds)
        timeouts = Timeouts(at: ServerCore.readClock())
        partialFrames = PartialFrames(bytesMax: settings.partialBytesMax)
        let guest = FrameReader.Bounds(
            messageBytes: settings.frameBytesMax, fragments: settings.fragmentsMax, takesBinary: settings.takesBinary)
        var stranger = guest
        stranger.messageBytes = min(settings.strangerBytesMax, guest.messageBytes)
        frameBounds = (guest: guest, stranger: stranger)
        try createContext()
        watch()
    }

    func run() {
        library.run {
            if listener.descriptor >= 0 { ev_io_start(library.loop, watchers.accepting) }
        }
    }

    func closeListener() {
        precondition(library.isHere, "only the loop's thread closes the listener")
        ev_io_stop(library.loop, watchers.accepting)
        listener.closeAll()
    }

    // MARK: Time

    var monotonicMilliseconds: Int64 {
        if let now { return now }
        let reading = ServerCore.readClock()
        now = reading
        return reading
    }

    /// Makes the next use of the time read the clock again.
    func forgetTime() { now = nil }

    func setTimer(afterMilliseconds: Int64) {
        precondition(library.isHere, "only the loop's thread sets its timer")
        let delay = min(max(afterMilliseconds, 0), ServerCore.longestTimer)
        deadline = ServerCore.readClock() + delay
        shim_ev_timer_move(library.loop, watchers.deadline, Double(delay) / 1_000)
    }

    // A year. Keeps the sum above and libev's arithmetic far from overflow.
    private static let longestTimer: Int64 = 31_536_000_000

    private static func readClock() -> Int64 { readFineClock() / 1_000_000 }

    /// CLOCK_MONOTONIC in nanoseconds.
    static func readFineClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    // MARK: Watchers

    private func watch() {
        let owner = Unmanaged.passUnretained(self).toOpaque()
        library.prepareWake(owner: owner) { _, watcher, _ in ServerCore.from(watcher?.pointee.data)?.onWake() }
        shim_ev_io_init(
            watchers.accepting,
            { _, watcher, _ in ServerCore.from(watcher?.pointee.data)?.acceptWaiting() },
            listener.descriptor,
            owner
        )
        let period = ServerCore.beatSeconds
        shim_ev_timer_init(
            watchers.beat,
            { _, watcher, _ in ServerCore.from(watcher?.pointee.data)?.beat() },
            period,
            period,
            owner
        )
        ev_timer_start(library.loop, watchers.beat)
        shim_ev_timer_init(
            watchers.deadline,
            { _, watcher, _ in ServerCore.from(watcher?.pointee.data)?.deadlineReached() },
            0,
            0,
            owner
        )
        watchTurns(owner: owner)
    }

    static func from(_ data: UnsafeMutableRawPointer?) -> ServerCore? {
        data.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
    }

    // libev measures from the start of a turn, so a timer that was set late in a long turn fires too early.
    private func deadlineReached() {
        guard let deadline else { return }
        let left = deadline - ServerCore.readClock()
        if left > 0 {
            shim_ev_timer_move(library.loop, watchers.deadline, Double(left) / 1_000)
        } else {
            counters.timerLateMilliseconds.record(-left)
            self.deadline = nil
            events?.timer()
        }
    }

    // How long requests count at least, and when accepting is tried again after a shortage of descriptors.
    private static let beatSeconds = 1.0

    private func beat() {
        admission.forgetOld()
        for connection in timeouts.expire(at: monotonicMilliseconds) { end(connection) }
        if listener.descriptor >= 0, listener.restoreSpare() { ev_io_start(library.loop, watchers.accepting) }
    }

    // MARK: Library

    private func createContext() throws(TransportFailure) {
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(strdup("roost-server"))
        protocols[0].callback = serverCallback
        protocols[0].user = Unmanaged.passUnretained(self).toOpaque()
        let options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_EXPLICIT_VHOSTS
        try library.create(
            protocols: protocols,
            options: options,
            readBytes: settings.readBytes
        )
        vhost = try library.addVhost(protocols: protocols, options: options)
    }
}
