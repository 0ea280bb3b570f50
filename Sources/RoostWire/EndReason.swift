/// The reason for the end of a device's connection, as its user sees it. The numbers are stored.
public enum EndReason: UInt8, WireWord {
    /// The client said `bye`.
    case bye = 1
    /// The client closed the connection without `bye`, as when a page is loaded again.
    case closed = 2
    /// The connection was lost.
    case cut = 3
    /// Nothing arrived after a ping.
    case timeout = 4
    /// Another connection of the device took over.
    case takeover = 5
    /// The relay was stopped in order.
    case drain = 6
    /// The token expired, and no other came.
    case token = 7
    /// The client read too slowly.
    case slow = 8
    /// The relay had too much to do.
    case overload = 9
    /// The client sent what the relay doesn't take, or too much of it.
    case refused = 10
    /// The relay crashed; how the connection ended is not known.
    case restart = 11
    /// An operator ended it.
    case `operator` = 12

    /// One more than the highest raw value, for counts by reason.
    public static let places = 1 + Int(allCases.map(\.rawValue).max() ?? 0)

    /// The reason for a connection that the relay closes with this code.
    public init(_ code: CloseCode) {
        self =
            switch code {
            case .normal: .bye
            case .drain: .drain
            case .tooSlow: .slow
            case .pingTimeout: .timeout
            case .tokenExpired: .token
            case .overloaded: .overload
            case .takenOver: .takeover
            case .disconnected, .revoked: .operator
            case .protocolError, .unsupportedData, .invalidText, .tooBig, .helloTimeout, .rateLimited, .unauthorized,
                .malformed:
                .refused
            }
    }

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .bye: "bye"
        case .closed: "closed"
        case .cut: "cut"
        case .timeout: "timeout"
        case .takeover: "takeover"
        case .drain: "drain"
        case .token: "token"
        case .slow: "slow"
        case .overload: "overload"
        case .refused: "refused"
        case .restart: "restart"
        case .operator: "operator"
        }
    }
}
