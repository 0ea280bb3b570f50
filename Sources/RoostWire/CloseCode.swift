/// Why the server closes a connection. After 4000–4499 a client should come back, after 4500–4999 it should not
/// (Docs/Protocol.md, section 10). Codes below 4000 are those of RFC 6455, section 7.4.1.
public enum CloseCode: UInt16, CaseIterable, Sendable {
    case normal = 1000
    case protocolError = 1002
    case unsupportedData = 1003
    case invalidText = 1007
    case tooBig = 1009
    case drain = 4000
    case tooSlow = 4001
    case pingTimeout = 4002
    case helloTimeout = 4003
    case tokenExpired = 4004
    case overloaded = 4005
    case disconnected = 4006
    case rateLimited = 4008
    case unauthorized = 4500
    case takenOver = 4501
    case malformed = 4502
    case revoked = 4503

    /// The reason in the close frame; at most 123 bytes (RFC 6455, section 5.5).
    public var reason: StaticString {
        switch self {
        case .normal: "bye"
        case .protocolError: "not allowed by RFC 6455"
        case .unsupportedData: "text messages only"
        case .invalidText: "invalid UTF-8"
        case .tooBig: "message too long"
        case .drain: "relay is stopping, come back"
        case .tooSlow: "client reads too slowly"
        case .pingTimeout: "nothing arrived after a ping"
        case .helloTimeout: "no hello arrived in time"
        case .tokenExpired: "token expired"
        case .overloaded: "overloaded, come back"
        case .disconnected: "disconnected by an operator, come back"
        case .rateLimited: "too much at once, come back"
        case .unauthorized: "token refused"
        case .takenOver: "another connection of this device took over"
        case .malformed: "too many malformed commands"
        case .revoked: "tokens revoked"
        }
    }
}
