import RoostWire

/// Who waits for the answer to a command.
struct Asker {
    let session: Session
    let id: CommandID?
}
