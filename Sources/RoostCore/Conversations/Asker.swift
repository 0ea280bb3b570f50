import RoostWire

/// A session that waits for the answer to a command.
struct Asker {
    let session: Session
    let id: CommandID?
}
