import RoostWire

/// Bounds on bytes that wait for a session: by itself, with the other devices of its user, and with all others. It
/// keeps nothing. Loop thread only.
struct OutboxRoom {
    private let bounds: Delivery.Bounds
    private let edge: DirectEdge
    private let counters: Counters

    init(_ bounds: Delivery.Bounds, _ edge: DirectEdge, _ counters: Counters) {
        self.bounds = bounds
        self.edge = edge
        self.counters = counters
    }

    /// Whether so many bytes wait for slow sessions that they get no more signals, and durable events only from
    /// catch-up.
    @inline(__always)
    var isCrowded: Bool { edge.waitingBytes > bounds.allBytes / 2 }

    /// Bytes in an outbox above which signals are dropped. A session that had taken everything before this turn isn't
    /// called slow just because much arrives at once.
    @inline(__always)
    func forSignals(_ session: Session) -> Int {
        guard edge.isSlow(session) else { return bounds.spillBytes }
        return isCrowded ? 0 : bounds.calmBytes
    }

    /// Bytes in an outbox above which durable events are left to catch-up.
    @inline(__always)
    func forEvents(_ session: Session) -> Int { isCrowded && edge.isSlow(session) ? 0 : bounds.spillBytes }

    /// Whether this many further bytes may wait that must not be lost.
    func isLeft(for bytes: Int, _ session: Session) -> Bool {
        let waiting = edge.backlog(of: session) + bytes
        guard waiting > bounds.calmBytes else { return waiting <= bounds.maxBytes }
        // A session that reads everything isn't closed because of others that don't.
        guard waiting <= bounds.maxBytes, edge.waitingBytes <= bounds.allBytes || !edge.isSlow(session) else {
            return false
        }
        return isLeft(for: bytes, session.user)
    }

    private func isLeft(for bytes: Int, _ user: User?) -> Bool {
        guard let sessions = user?.sessions, sessions.count > 1 else { return true }
        return sessions.reduce(bytes) { $0 + edge.backlog(of: $1) + $1.heldBytes } <= bounds.userBytes
    }

    /// Checks that there is memory for a large answer. A session that reads everything gets it in any case.
    /// - Throws: `busy`.
    func checkMemory(for session: Session) throws(Refusal) {
        guard !isCrowded || !edge.isSlow(session) else {
            counters.behind.readsShed += 1
            throw Refusal(
                .busy, "too many answers wait for slow clients", retryAfterMilliseconds: bounds.aheadMilliseconds)
        }
    }
}
