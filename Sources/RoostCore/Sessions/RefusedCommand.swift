import RoostWire

/// A command that was refused, for the operator's log. It says nothing of what the command contained.
public struct RefusedCommand {
    /// Most that are kept for the host in one turn. The log writes fewer in a second.
    static let keptMax = 256

    /// The session.
    public let session: SessionID
    /// The user and the device; nil if it wasn't welcomed.
    public let user, device: String?
    /// The code in the client's answer.
    public let code: ErrorCode
    /// The sentence with it.
    public let reason: String
    /// The host's attachment to the session.
    public let attachment: AnyObject?
}
