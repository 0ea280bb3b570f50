import RoostWire

/// In whose name a command is carried out: the session's own user, or one for whom a service acts.
struct Speaker {
    /// The device that a service speaks from. It has no cursor and no session, so nobody is shown as online by it.
    static let deputyDevice = "api"

    let user: User
    /// The name of the device, as events tell it.
    let device: String

    init(_ user: User, on device: String = deputyDevice) {
        self.user = user
        self.device = device
    }
}
