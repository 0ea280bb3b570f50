/// Why a command failed. The words are part of the protocol (Docs/Protocol.md, section 10).
public enum ErrorCode: UInt8, WireWord {
    case badJSON, badRequest, unknownType, notReady, unauthorized, tokenExpired, forbidden, notFound, gone, conflict
    case tooLarge, badPosition, rateLimited, busy, unavailable, noRelationship
    case usernameTaken, blocked

    /// The word on the wire and in metrics.
    public var word: StaticString {
        switch self {
        case .badJSON: "bad_json"
        case .badRequest: "bad_request"
        case .unknownType: "unknown_type"
        case .notReady: "not_ready"
        case .unauthorized: "unauthorized"
        case .tokenExpired: "token_expired"
        case .forbidden: "forbidden"
        case .notFound: "not_found"
        case .gone: "gone"
        case .conflict: "conflict"
        case .tooLarge: "too_large"
        case .badPosition: "bad_position"
        case .rateLimited: "rate_limited"
        case .busy: "busy"
        case .unavailable: "unavailable"
        case .noRelationship: "no_relationship"
        case .usernameTaken: "username_taken"
        case .blocked: "blocked"
        }
    }

    /// Whether the same command may succeed later.
    public var isTemporary: Bool {
        switch self {
        case .rateLimited, .busy, .unavailable: true
        default: false
        }
    }
}

/// Why the server doesn't carry out a command: the content of the error reply.
public struct Refusal: Error, Sendable {
    /// The code on the wire.
    public var code: ErrorCode
    /// One line for the developer. It names the wrong member, and never repeats a token or a body.
    public var reason: String
    /// The `id` of the command, if it could be read.
    public var id: CommandID?
    /// The wait before another try, in milliseconds.
    public var retryAfterMilliseconds: Int64?
    /// The id of the conversation for which alone the wait is; nil if it is for all that the session says.
    public var conversation: String?

    /// Creates a refusal.
    public init(_ code: ErrorCode, _ reason: String, id: CommandID? = nil, retryAfterMilliseconds: Int64? = nil) {
        self.code = code
        self.reason = reason
        self.id = id
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }
}
