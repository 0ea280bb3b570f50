import RoostWire

/// A device that keeps a cursor, connected or not. Loop thread only.
final class Device {
    let number: DeviceNumber
    unowned let user: User
    let name: String
    /// The session that is ready, if there is one.
    private(set) var session: Session?
    /// When its last session ended, in monotonic milliseconds: the device that has been away longest gives way.
    private(set) var awaySince: Int64
    var progress: Receipts.Cursor
    var presence = Presence.Linger()

    init(_ number: DeviceNumber, of user: User, name: String, cursor: Position, at now: Int64) {
        self.number = number
        self.user = user
        self.name = name
        awaySince = now
        progress = Receipts.Cursor(cursor)
    }

    /// Everything up to here is acked.
    var cursor: Position { progress.position }

    func connect(_ session: Session) { self.session = session }

    /// Another session is about to take its place.
    /// - Returns: the one that has to go.
    func giveWay() -> Session? {
        defer { session = nil }
        return session
    }

    func disconnect(at now: Int64) {
        session = nil
        awaySince = now
    }
}
