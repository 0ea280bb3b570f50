internal import Glibc

/// One socket of a server, from accept to its end. The handler gets it once it is a WebSocket connection. It writes,
/// closes, and joins the parts of split messages. Loop thread only: it holds the library's pointer and is not Sendable.
/// Nothing should use it after `closed`; it does nothing then.
///
/// What each message touches, here and in `ServerCore`, opts out of the run-time exclusivity check: only one thread
/// touches it.
public final class Connection {
    enum Phase: UInt8 {
        /// HTTP requests, or a handshake.
        case request
        /// A WebSocket connection in use.
        case open
        /// This side closes. The handler gets only `closed` from now on.
        case closing
        /// The library has our close frame and waits for the peer's.
        case awaitingPeer
        /// The socket is gone.
        case ended
    }

    /// Unique in its loop, counted from 1.
    public let id: UInt64
    /// An object of the handler's. It is released after `closed`.
    @exclusivity(unchecked) public var attachment: AnyObject?

    let address: in_addr_t
    let core: ServerCore
    @exclusivity(unchecked) var phase = Phase.request
    @exclusivity(unchecked) var wsi: OpaquePointer?
    /// Whether the handler waits for `writable`.
    @exclusivity(unchecked) var isWaiting = false
    @exclusivity(unchecked) var hasPeerClosed = false
    /// Whether it is among the core's `unfinished` connections.
    @exclusivity(unchecked) var isUnfinished = false
    /// Whether the core no longer counts it.
    var isForgotten = false
    var closeCode: UInt16 = 1000
    var closeReason: StaticString = ""
    @exclusivity(unchecked) var message = SplitMessage()

    init(id: UInt64, address: in_addr_t, core: ServerCore) {
        self.id = id
        self.address = address
        self.core = core
    }

    /// The peer's IPv4 address in dotted form.
    public var peerAddress: String {
        withUnsafeBytes(of: address) { "\($0[0]).\($0[1]).\($0[2]).\($0[3])" }
    }
}
