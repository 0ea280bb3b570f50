/// What a valid token grants. The token is checked elsewhere, and the Relay trusts the result.
public struct Grant: Sendable, Equatable {
    /// The user, from `sub`.
    public var user: String
    /// The device, from `device`, if the token fixes it.
    public var device: String?
    /// When the token expires, from `exp`.
    public var expires: Timestamp

    /// Creates a grant.
    public init(user: String, device: String?, expires: Timestamp) {
        self.user = user
        self.device = device
        self.expires = expires
    }
}
