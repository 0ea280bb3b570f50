import RoostWire

/// What a valid token says. Checked elsewhere; the Relay believes it.
public struct Grant: Sendable, Equatable {
    /// `sub`.
    public var user: String
    /// `device`, if the token fixes it.
    public var device: String?
    /// `exp`.
    public var expires: Timestamp

    /// Puts a grant together.
    public init(user: String, device: String?, expires: Timestamp) {
        self.user = user
        self.device = device
        self.expires = expires
    }
}
