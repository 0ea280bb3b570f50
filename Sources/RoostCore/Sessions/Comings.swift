import RoostWire

/// The sessions that were welcomed or have ended, for the host's log. Loop thread only.
struct Comings {
    /// The kinds that are kept for the host.
    var noted = ComingsNoted.none
    private var waiting: [Coming] = []

    /// - Parameter reason: how it ended; nil if it was just welcomed.
    mutating func note(_ session: Session, ended reason: EndReason? = nil, at now: Moment) {
        guard noted != .none, noted == .all || reason != nil else { return }
        let coming = Coming(
            session: session.id, user: session.userName, device: session.device?.name, ended: reason,
            closed: session.closing, lastError: session.lastError, milliseconds: now.monotonic - session.life.openedAt,
            attachment: session.attachment)
        if noted == .all || !coming.isOrdinary { waiting.append(coming) }
    }

    mutating func take() -> [Coming] {
        guard !waiting.isEmpty else { return [] }
        defer { waiting.removeAll(keepingCapacity: true) }
        return waiting
    }
}
