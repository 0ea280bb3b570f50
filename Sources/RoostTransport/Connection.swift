internal import Glibc

/// One socket of a server, from accept to its end; the handler sees it once it is a WebSocket connection. It writes,
/// closes, and puts split messages together. Loop thread only: it is not Sendable and holds the library's pointer. It
/// must not be asked for anything after `closed`; it then does nothing.
public final class Connection {
    enum Phase: UInt8 {
        /// HTTP, or a handshake.
        case request
        /// A WebSocket connection in use.
        case open
        /// Closing from this side: the handler hears no more but `closed`.
        case closing
        /// The library has the close frame, and waits for the peer's.
        case awaitingPeer
        /// Over.
        case ended
    }

    /// Unique in its loop, counted from 1.
    public let id: UInt64
    /// Whatever the handler wants to find again; it is let go after `closed`.
    public var attachment: AnyObject?

    let address: in_addr_t
    let core: ServerCore
    var phase = Phase.request
    var wsi: OpaquePointer?
    /// The handler is owed a `writable`.
    var isWaiting = false
    var hasPeerClosed = false
    /// Among the core's `unfinished`.
    var isUnfinished = false
    /// Whether the core has ended its accounting.
    var isForgotten = false
    var closeCode: UInt16 = 1000
    var closeReason: StaticString = ""
    var message = SplitMessage()

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
