import RoostWire

/// Tokens that the relay is to refuse, and sockets that it is to close.
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

    /// The relay's command, at a time in milliseconds since 1970.
    func command(at now: Int64) -> RelayCommand {
        guard let sid else {
            let device = device.map { [RelayCommand.Member(name: "device", text: $0)] } ?? []
            // The relay may not know the account yet.
            let unknown = [RelayCommand.Member(name: "unknown", value: Array("true".utf8))]
            return RelayCommand(.revoke, [.init(name: "user", text: user)] + device + unknown)
        }
        // The relay takes a day at most, by its own clock.
        let latest = now + 86_400_000 - 60_000
        return RelayCommand(
            .revoke, [.init(name: "sid", text: sid), .init(name: "until", value: Array("\(min(until, latest))".utf8))])
    }
}
