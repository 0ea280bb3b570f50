import RoostWire

/// A device that keeps a cursor, connected or not. Loop thread only.
final class Device {
    let number: DeviceNumber
    unowned let user: User
    let name: String
    /// The device's ready session, if there is one.
    private(set) var session: Session?
    /// When its last session ended, in monotonic milliseconds. A new device replaces the one that has been away
    /// longest.
    private(set) var awaySince: Int64
    /// When its present session began, or the last one.
    private(set) var connectedAt = Timestamp.never
    var progress: Receipts.Cursor
    var presence = Presence.Linger()
    var ends: DeviceEnds.Slot

    /// - Parameters:
    ///   - isNew: whether the device has never acked anything.
    ///   - ends: how its last session ended.
    init(
        _ number: DeviceNumber, of user: User, name: String, cursor: Position, isNew: Bool,
        ends: DeviceEnds.Slot = .init(isKnown: false), at now: Int64
    ) {
        self.number = number
        self.user = user
        self.name = name
        self.ends = ends
        awaySince = now
        progress = Receipts.Cursor(cursor, isNew: isNew)
    }

    /// Whether it has never acked anything, so that it may not know that it begins here.
    var isNew: Bool { progress.isNew }

    /// The device has acked everything up to here.
    var cursor: Position { progress.position }

    func connect(_ session: Session, at now: Moment) {
        self.session = session
        connectedAt = now.wall
    }

    /// Makes room for another session.
    /// - Returns: the session that must end.
    func giveWay() -> Session? {
        defer { session = nil }
        return session
    }

    func disconnect(at now: Int64) {
        session = nil
        awaySince = now
    }
}
