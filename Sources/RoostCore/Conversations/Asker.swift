import RoostWire

/// A session that waits for the answer to a command, and the user for whom the command is carried out: the session's
/// own, or one for whom a service acts.
struct Asker {
    let session: Session
    let user: User
    let id: CommandID?
}
