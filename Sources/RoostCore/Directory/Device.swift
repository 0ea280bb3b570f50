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
    /// How the session before the present one ended; nil if there was none. It isn't stored: it would be a change of
    /// the store for each drop.
    private(set) var ended: End?
    var progress: Receipts.Cursor
    var presence = Presence.Linger()

    /// How a session ended.
    struct End {
        let reason: EndReason
        /// `.never` if it isn't known.
        let time: Timestamp
    }

    /// - Parameters:
    ///   - isNew: whether the device has never acked anything.
    ///   - ended: how its last session ended; nil if there was none.
    init(
        _ number: DeviceNumber, of user: User, name: String, cursor: Position, isNew: Bool, ended: End? = nil,
        at now: Int64
    ) {
        self.number = number
        self.user = user
        self.name = name
        self.ended = ended
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
    func giveWay(at now: Moment) -> Session? {
        guard let old = session else { return nil }
        session = nil
        ended = End(reason: .takeover, time: now.wall)
        return old
    }

    func disconnect(_ reason: EndReason, at now: Moment) {
        session = nil
        awaySince = now.monotonic
        ended = End(reason: reason, time: now.wall)
    }
}
