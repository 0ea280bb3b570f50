/// What the relay is to refuse, and whose sockets it is to close.
package struct Revocation: Sendable, Equatable {
    package var user: String
    /// Only the tokens of this device.
    package var device: String?
    /// Only the tokens of this session.
    package var sid: String?
    /// When the last of these tokens ends, in milliseconds since 1970: the relay may forget it then.
    package var until: Int64

    /// All tokens of a user, or those of a device or a session.
    package init(user: String, device: String? = nil, sid: String? = nil, until: Int64) {
        self.user = user
        self.device = device
        self.sid = sid
        self.until = until
    }
}

/// The relay, as far as this process needs it.
package protocol RelayLink: Sendable {
    /// Has tokens refused and sockets closed. Returns whether the relay has done it; otherwise it is asked again.
    func revoke(_ revocation: Revocation) async -> Bool
    /// There is nothing more to tell for now.
    func rest() async
}
