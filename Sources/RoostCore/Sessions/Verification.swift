/// A token that somebody else has to check; the answer comes back by `Relay.verified`.
public struct Verification: Sendable {
    /// Whose token it is.
    public var session: SessionID
    /// The token; never logged.
    public var token: String
}
