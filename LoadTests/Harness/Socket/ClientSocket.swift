internal import CEpoll
import Glibc

/// Who is told what happens on a connection, on the loop's thread. It may connect, send, close and drop from within,
/// but not turn the loop.
protocol ClientSocketOwner: AnyObject {
    /// The handshake is done; `send` works from here on.
    func opened(_ socket: ClientSocket)
    /// One whole text message, borrowed until return. `at`: when its last bytes were read, one clock reading per read.
    func received(_ text: UnsafeRawBufferPointer, on socket: ClientSocket, at: UInt64)
    /// It is over. Said exactly once, and never after the owner called `drop`.
    func ended(_ socket: ClientSocket, _ ending: SocketEnding)
}

/// One WebSocket connection of a `SocketLoop`, from connect to its end, and the buffers of it that aren't empty. On the
/// loop's thread only. It keeps its owner alive until the end, and after that nothing: it then ignores whatever it is
/// asked for.
final class ClientSocket {
    enum Phase: UInt8 {
        /// TCP.
        case connecting
        /// Waits for the answer to the upgrade.
        case upgrading
        case open
        /// Has sent a close frame. Messages may still come, until the peer's.
        case closing
        /// Both close frames are on their way. The peer hangs up first (RFC 6455, section 7.1.1), so that it, not the
        /// crowd's scarce addresses, pays with a port in TIME_WAIT.
        case awaitingEnd
        case ended
    }

    let key: SocketKey
    let subprotocol: String?
    // The loop lets go of it, and it of the loop, at the end of either.
    unowned var loop: SocketLoop?
    var owner: (any ClientSocketOwner)?
    var phase = Phase.connecting

    // MARK: Receiving

    var reader = FrameReader()
    /// Read, but not handed out: the beginning of a frame, or what came before reading was stopped.
    var tail = SocketBuffer()
    /// Bytes that the tail needs to become a frame.
    var needed = 0
    /// The tail may hold whole frames.
    var hasBacklog = false
    /// The end of the stream is there, behind what hasn't been read.
    var isEnding = false
    /// The owner holds borrowed bytes, so no buffer may go.
    var isHandingOut = false
    /// In the loop's list of those to be read without a further event.
    var isListed = false
    private var reads = true

    // MARK: Sending

    var unsent = SocketBuffer()
    /// The system takes no more until it says so; as long as it connects, too.
    var isBlocked = true
    /// In the loop's list of those to be flushed.
    var isDirty = false

    /// What to say at the end of the stream, if it is known already.
    var ending: SocketEnding?

    init(key: SocketKey, subprotocol: String?, loop: SocketLoop, owner: any ClientSocketOwner) {
        self.key = key
        self.subprotocol = subprotocol
        self.loop = loop
        self.owner = owner
    }

    /// Whether `send` takes messages.
    var isOpen: Bool { phase == .open }

    /// Off: reads nothing more and hands nothing out, as if the device were in a tunnel, until the system's buffers and
    /// then the peer's are full. On again: hands out what has come meanwhile, at the next turn.
    var isReading: Bool {
        get { reads }
        set {
            guard newValue != reads, phase != .ended, let loop else { return }
            reads = newValue
            // Naming the events again makes epoll report those that are there already.
            loop.watch(self, EPOLL_CTL_MOD)
            if newValue, hasBacklog { loop.list(self) }
        }
    }
}
