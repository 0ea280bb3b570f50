import RoostWire

/// A session that was welcomed or has ended, for the operator's log.
public struct Coming {
    /// The session.
    public let session: SessionID
    /// The user and the device; nil if it was never welcomed.
    public let user, device: String?
    /// Its end; nil if it was just welcomed.
    public let ended: EndReason?
    /// The code with which the relay closes it, if it does.
    public let closed: CloseCode?
    /// The last command of it that was refused.
    public let lastError: ErrorCode?
    /// Duration of the session.
    public let milliseconds: Int64
    /// The host's attachment.
    public let attachment: AnyObject?

    /// Whether it ended as sessions do, and not for something that an operator may want to look into.
    public var isOrdinary: Bool {
        switch ended {
        case nil, .bye, .closed, .cut, .takeover, .drain, .restart, .operator: lastError == nil || user != nil
        case .timeout, .token, .slow, .overload, .refused: false
        }
    }
}

/// The sessions that the operator's log gets.
public enum ComingsNoted: Sendable {
    /// Nothing.
    case none
    /// Those that ended in a way that isn't ordinary.
    case unusual
    /// All.
    case all
}
