public import RoostWire

/// Why something that was asked of the client did not happen. It never carries a token or a body.
public enum RoostFailure: Error, Sendable, Equatable {
    /// The server said no.
    case refused(CommandRefusal)
    /// The session is over for good: nothing will be sent any more. Make a new client.
    case ended(Ending)
    /// There is no session now. Only messages wait for one.
    case notConnected
    /// The connection was lost before the reply came. Whether the command had an effect isn't known.
    case connectionLost
    /// The reply did not come in time. Whether the command had an effect isn't known.
    case timedOut
    /// `ClientLimits.outgoingMax` or `outgoingBytesMax` is reached.
    case queueFull
    /// `ClientLimits.commandsMax` is reached.
    case tooManyCommands
    /// The command has more bytes than the server takes. Nothing was sent: the server would end the session.
    case tooLarge(bytes: Int, atMost: Int)
    /// A body that isn't JSON, or a key that waits to be sent already.
    case invalid(String)
    /// The reply lacks what Docs/Protocol.md promises.
    case unexpectedReply
    /// The task was cancelled. A message that was under way may be stored all the same.
    case cancelled
}

/// An `error` reply.
public struct CommandRefusal: Error, Sendable, Equatable {
    /// The word on the wire; see `ErrorCode` for those that this version knows.
    public var code: String
    /// One line for the developer.
    public var reason: String
    /// Whether the same command may succeed later.
    public var isTemporary: Bool
    /// How long to wait before, if the server said.
    public var retryAfter: Duration?

    /// Whether it is this code.
    public func `is`(_ code: ErrorCode) -> Bool { self.code == "\(code.word)" }

    init(_ error: JSONValue) {
        code = error["code"]?.string ?? "unknown"
        reason = error["reason"]?.string ?? ""
        isTemporary = error["retry"]?.bool ?? false
        retryAfter = error["retryAfter"]?.integer.map { .milliseconds(max(0, $0)) }
    }
}

/// Why a session is over for good.
public struct Ending: Sendable, Equatable {
    /// The close code; nil if the connection was not closed by one.
    public var code: UInt16?
    /// One line.
    public var reason: String
    /// Whether the application asked for it by `disconnect`.
    public var isWanted: Bool
}
