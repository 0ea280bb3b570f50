internal import CEpoll
import Glibc

/// The connections of one thread on one epoll instance: it connects them, reads them into one shared buffer, and sends
/// what they queued once per turn. All of it happens on the thread that calls it, which owns it; it keeps no thread,
/// knows no users, and must not be turned from within a callback. Our own, not libwebsockets: a judge that shares its
/// framing with the judged would overlook what that gets wrong.
final class SocketLoop {
    /// From a close frame to hanging up without the peer: it has a full queue before it at most.
    static let closeSeconds = 5.0
    /// Reads of one connection per turn, of `HarnessLimits.readBytes` each, so that one doesn't starve the others.
    static let readsPerTurn = 4
    /// Events fetched at once. More only saves calls that are cheap by then.
    static let eventsPerTurn = 512

    /// Messages received, and the bytes in them. Wrapping.
    private(set) var received: UInt64 = 0
    private(set) var receivedBytes: UInt64 = 0
    /// Messages that `send` has taken, and the bytes in them. Wrapping.
    var sent: UInt64 = 0
    var sentBytes: UInt64 = 0
    /// When the last wait ended; 0 before the first one.
    var wokeAt: UInt64 = 0
    /// From the end of one wait to the begin of the next: how long what arrived in between went unnoticed at most.
    var lastTurn: UInt64 = 0
    /// Never sleeps: sees what comes some 50 µs sooner, and takes a whole core.
    var polls = false
    /// Connections between `opened` and their end.
    private(set) var openCount = 0

    let epoll: Int32
    let events: UnsafeMutablePointer<epoll_event>
    let shared: UnsafeMutableRawBufferPointer
    var masks: MaskGenerator
    var handshakes: DeadlineQueue
    var closes: DeadlineQueue

    // By descriptor; the kernel gives out the lowest free one.
    private var sockets: [ClientSocket?] = []
    private var generation: UInt32 = 0
    /// Have something to send.
    var dirty: [ClientSocket] = []
    /// Have something to read, and won't hear of it from epoll.
    var listed: [ClientSocket] = []
    /// End in the next turn, because nothing may be said now.
    var doomed: [(socket: ClientSocket, ending: SocketEnding)] = []
    var isTurning = false

    /// `handshakeSeconds` bounds the time from `connect` to `opened`, `closeSeconds` that from a close frame to the
    /// end. `readBytes` is above `HarnessLimits.handshakeBytesMax`. Masks and keys follow from the seed.
    init(
        handshakeSeconds: Double = HarnessLimits.connectSeconds,
        closeSeconds: Double = SocketLoop.closeSeconds,
        readBytes: Int = HarnessLimits.readBytes,
        seed: UInt64 = .random(in: 0 ... .max)
    ) throws(SocketFailure) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system(call: "epoll_create1", code: errno) }
        // Linux 5.11; better to know now than in the first turn.
        var (event, none) = (epoll_event(), timespec())
        guard epoll_pwait2(epoll, &event, 1, &none, nil) == 0 else {
            let code = errno
            Glibc.close(epoll)
            throw .system(call: "epoll_pwait2", code: code)
        }
        events = .allocate(capacity: SocketLoop.eventsPerTurn)
        events.initialize(repeating: epoll_event(), count: SocketLoop.eventsPerTurn)
        shared = .allocate(byteCount: readBytes, alignment: 64)
        masks = MaskGenerator(seed: seed)
        handshakes = DeadlineQueue(seconds: handshakeSeconds)
        closes = DeadlineQueue(seconds: closeSeconds)
    }

    deinit {
        for socket in doomed.map(\.socket) + sockets.compactMap(\.self) {
            // There is no way back to an object that is being destroyed.
            socket.loop = nil
            socket.release()
        }
        Glibc.close(epoll)
        events.deallocate()
        shared.deallocate()
    }

    /// CLOCK_MONOTONIC in nanoseconds.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000 &+ UInt64(bitPattern: Int64(time.tv_nsec))
    }

    // MARK: Table

    /// The connection of that name, if it isn't over.
    func find(_ key: SocketKey) -> ClientSocket? {
        let place = Int(key.descriptor)
        guard place >= 0, place < sockets.count, let socket = sockets[place], socket.key == key else { return nil }
        return socket
    }

    func nextKey(_ descriptor: Int32) -> SocketKey {
        generation &+= 1
        return SocketKey(descriptor: descriptor, generation: generation)
    }

    func remember(_ socket: ClientSocket) {
        let place = Int(socket.key.descriptor)
        while sockets.count <= place { sockets.append(nil) }
        sockets[place] = socket
    }

    /// The connection is about to end.
    func forget(_ socket: ClientSocket) {
        guard find(socket.key) != nil else { return }
        sockets[Int(socket.key.descriptor)] = nil
        if socket.phase != .connecting, socket.phase != .upgrading { openCount -= 1 }
    }

    func opened() { openCount += 1 }

    func count(_ text: UnsafeRawBufferPointer) {
        received &+= 1
        receivedBytes &+= UInt64(text.count)
    }
}
