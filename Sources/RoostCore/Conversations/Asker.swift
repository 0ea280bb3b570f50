import RoostWire

/// A session that waits for the answer to a command, and the user that the command acts as: the session's own, or the
/// one that a service names.
struct Asker {
    let session: Session
    let user: User
    let id: CommandID?
}
