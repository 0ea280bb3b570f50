internal import CEpoll
import Glibc
import RoostTLS

/// Gets the events of a connection, on the loop's thread. Its methods may connect, send, close and drop, but not turn
/// the loop.
protocol ClientSocketOwner: AnyObject {
    /// The handshake is done, and `send` works from now on.
    func opened(_ socket: ClientSocket)
    /// One whole text message, valid only during the call. `at` is when its last bytes were read, with one clock
    /// reading for each read.
    func received(_ text: UnsafeRawBufferPointer, on socket: ClientSocket, at: UInt64)
    /// The connection has ended. Called exactly once, and never after `drop`.
    func ended(_ socket: ClientSocket, _ ending: SocketEnding)
}

/// One WebSocket connection of a `SocketLoop`, from connect to its end, with its buffers that aren't empty. Loop's
/// thread only. It keeps its owner alive until its end. After that it does nothing.
final class ClientSocket {
    enum Phase: UInt8 {
        /// Waiting for TCP.
        case connecting
        /// Waiting for the answer to the upgrade.
        case upgrading
        case open
        /// We have sent a close frame. Messages may still arrive until the peer's.
        case closing
        /// Both close frames are under way. The peer closes TCP first (RFC 6455, section 7.1.1), so that the port in
        /// TIME_WAIT is the peer's and not one of our few.
        case awaitingEnd
        case ended
    }

    let key: SocketKey
    let subprotocol: String?
    // The loop and the connection release each other at the end of either.
    unowned var loop: SocketLoop?
    var owner: (any ClientSocketOwner)?
    var phase = Phase.connecting

    // MARK: Receiving

    var reader = FrameReader()
    /// Bytes that were read but not handed out: the beginning of a frame, or what arrived before reading was paused.
    var tail = SocketBuffer()
    /// Number of bytes that the tail needs for a whole frame.
    var needed = 0
    /// Whether the tail may contain whole frames.
    var hasBacklog = false
    /// Whether the stream ends after the bytes that are still unread.
    var isEnding = false
    /// Whether the owner holds borrowed bytes, so that no buffer may be freed.
    var isHandingOut = false
    /// Whether it is in the loop's list of connections to read without a further event.
    var isListed = false
    private var reads = true

    // MARK: Sending

    var unsent = SocketBuffer()
    /// Nil for plain text. What is `unsent` is encrypted into `encrypted` when it is sent.
    var tls: TLSStream?
    var encrypted = SocketBuffer()
    /// Whether the system takes no more bytes until it reports so; also true while connecting.
    var isBlocked = true
    /// Whether it is in the loop's list of connections to flush.
    var isDirty = false

    /// The ending to report at the end of the stream, if known already.
    var ending: SocketEnding?

    init(key: SocketKey, subprotocol: String?, loop: SocketLoop, owner: any ClientSocketOwner) {
        self.key = key
        self.subprotocol = subprotocol
        self.loop = loop
        self.owner = owner
    }

    /// Whether `send` takes messages.
    var isOpen: Bool { phase == .open }

    /// If false, the connection reads nothing and hands out nothing, like a device in a tunnel, until the system's
    /// buffers and then the peer's are full. When set to true again, it hands out what has arrived, at the next turn.
    var isReading: Bool {
        get { reads }
        set {
            guard newValue != reads, phase != .ended, let loop else { return }
            reads = newValue
            // Setting the events again makes epoll report those that are already there.
            loop.watch(self, EPOLL_CTL_MOD)
            if newValue, hasBacklog { loop.list(self) }
        }
    }
}
