/// A token to check elsewhere. The answer comes back by `Relay.verified`.
public struct Verification: Sendable {
    /// The session whose token it is.
    public var session: SessionID
    /// The token. Never log it.
    public var token: String
}
