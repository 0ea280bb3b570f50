public import RoostWire

/// Why the client could not do what it was asked. It never contains a token or a body.
public enum RoostFailure: Error, Sendable, Equatable {
    /// The server refused the command.
    case refused(CommandRefusal)
    /// The session has ended for good, and nothing more will be sent. Create a new client.
    case ended(Ending)
    /// There is no session now. Only messages wait for one.
    case notConnected
    /// The connection was lost before the reply arrived. The command may have had an effect.
    case connectionLost
    /// The reply did not arrive in time. The command may have had an effect.
    case timedOut
    /// `ClientLimits.outgoingMax` or `outgoingBytesMax` is reached.
    case queueFull
    /// `ClientLimits.commandsMax` is reached.
    case tooManyCommands
    /// The command has more bytes than the server accepts. It was not sent, because the server would end the session.
    case tooLarge(bytes: Int, atMost: Int)
    /// A body that isn't JSON, or a key that is already waiting to be sent.
    case invalid(String)
    /// The reply lacks members that Docs/Protocol.md promises.
    case unexpectedReply
    /// The task was cancelled. A message that was under way may be stored all the same.
    case cancelled
}

/// Why a session has ended for good.
public struct Ending: Sendable, Equatable {
    /// The close code; nil if there was none.
    public var code: UInt16?
    /// One line.
    public var reason: String
    /// Whether the application asked for it with `disconnect`.
    public var isWanted: Bool
    /// Whether the token, or the session, was another user's than those before, or than the application named. Nothing
    /// was sent in that one's name.
    public var isOfAnotherUser = false
}
