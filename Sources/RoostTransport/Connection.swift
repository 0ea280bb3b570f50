internal import RoostFraming
internal import RoostTLS
internal import RoostWire

/// One socket of a server, from accept to its end. libwebsockets reads it and reports when it can be written; HTTP, the
/// handshake and the frames are read and written here. The handler gets it once it is a WebSocket connection. Loop
/// thread only: it holds the library's pointer and is not Sendable. It must not be used after `closed`, and does
/// nothing then.
///
/// Members touched by each message, here and in `ServerCore`, opt out of the run-time exclusivity check: only one
/// thread touches them.
public final class Connection {
    enum Phase: UInt8 {
        /// The header by which a listed proxy says whose connection it is.
        case preface
        /// HTTP requests, or a handshake.
        case request
        /// A WebSocket connection in use.
        case open
        /// The peer has sent a close frame, or something that fails the connection. Later frames are ignored. Frames
        /// written by the handler in this turn still go out, then our close frame.
        case leaving
        /// The handler has closed it, and the peer's close frame is awaited. The handler gets only `closed` from now
        /// on.
        case closing
        /// We have sent everything and said so. Incoming bytes are thrown away until the peer ends: if the socket were
        /// closed before, input on its way would reset the connection, and the peer might lose what we sent.
        case draining
        /// The socket is gone, or about to be.
        case ended
    }

    /// Unique in its loop, counted from 1.
    public let id: UInt64
    /// An object of the handler's. It is released after `closed`.
    @exclusivity(unchecked) public var attachment: AnyObject?

    /// The address it is counted for, and its place in the count.
    var place: Admission<Connection>.Place
    /// The client's address: the peer, or the address that a proxy named by the PROXY protocol.
    var sender: ClientAddress
    let core: ServerCore
    let descriptor: Int32
    @exclusivity(unchecked) var phase = Phase.request
    @exclusivity(unchecked) var wsi: OpaquePointer?
    /// Nil if it speaks plain text.
    @exclusivity(unchecked) var tls: TLSStream?
    /// Bytes of requests that have not been answered. Empty once it is a WebSocket connection.
    var head: [UInt8] = []
    var requests = RequestReader()
    /// Whether the next request in `head` waits for the next turn. Nothing is read meanwhile.
    var isNextWaiting = false
    /// Whether a request was answered, and the connection was kept for the next.
    var isKept = false
    @exclusivity(unchecked) var reader = FrameReader()
    /// Counted bytes of its unfinished message.
    @exclusivity(unchecked) var partial = PartialFrames<Connection>.Place()
    var controls = ControlAllowance()
    /// Bytes that the socket did not accept, as sent over the network: the rest of one write, and at most a close frame
    /// and a pong behind it.
    @exclusivity(unchecked) var unsent: [UInt8] = []
    /// The newest ping that could not be answered at once, as its pong.
    @exclusivity(unchecked) var laterPong: [UInt8]?
    /// Whether the handler waits for `writable`.
    @exclusivity(unchecked) var isWaiting = false
    /// Whether the connection drains as soon as everything has been sent.
    @exclusivity(unchecked) var isFinishing = false
    /// Whether the handler has been notified by `opened`, and not yet by `closed`.
    var isTold = false
    /// The close frame that ends a leaving connection.
    var farewell: [UInt8] = []
    /// The end of the connection, as far as it is known: the side whose close frame came first.
    var end = ConnectionEnd.loss
    /// Whether it has ended for the peer, and the core waits for the peer's end.
    var isLeaver = false
    /// Where the core's tables have it.
    var slots = Slots()

    struct Slots {
        var timeout = Timeouts.Slot()
        var guest = GuestTable.Slot()
    }

    init(id: UInt64, sender: ClientAddress, descriptor: Int32, core: ServerCore) {
        self.id = id
        self.sender = sender
        self.descriptor = descriptor
        self.core = core
        place = .nowhere(sender)
    }

    /// The address that the connection is counted for: its peer or, behind a listed proxy, the client that the proxy
    /// names.
    public var clientAddress: ClientAddress { place.address }

    /// The handler's knowledge of the client. The bounds of the transport depend on it.
    public var standing: Standing {
        get { place.standing }
        set {
            core.admission.change(&place, of: self, to: newValue)
            if place.standing == .guest, phase == .open { core.guests.add(self) } else { core.guests.remove(self) }
        }
    }
}
