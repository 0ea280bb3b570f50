/// The types of what a server says (Docs/Protocol.md, sections 3–11). The raw value is the word on the wire.
public enum EventType: String, CaseIterable, Sendable {
    case welcome, ok, error, pong
    case message, edit, delete, react, conversation, state
    case signal, gap, live, receipt, badge, typing, presence, profile, status, privacy, contact, prospects, joins, drain
    case statistics

    /// Whether it answers a command. Answers repeat the command's id as `re`, if it had one.
    public var isReply: Bool {
        switch self {
        case .welcome, .ok, .error, .pong: true
        default: false
        }
    }

    /// Whether it is in the log. Durable events have a position, and come again until they are acked.
    public var isDurable: Bool {
        switch self {
        case .message, .edit, .delete, .react, .conversation, .state: true
        default: false
        }
    }
}
