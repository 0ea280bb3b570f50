import RoostWire

/// The user a command acts as: the session's own, or the one that a service names in `as`.
struct Speaker {
    /// The device of a service's commands. It has no cursor and no session, so no user is shown as online by it.
    static let deputyDevice = "api"

    let user: User
    /// The name of the device in events.
    let device: String

    init(_ user: User, on device: String = deputyDevice) {
        self.user = user
        self.device = device
    }
}
