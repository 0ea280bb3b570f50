import RoostWire

/// How far one session has got with durable events, as far as the relay knows: live or behind, what was sent, and what
/// an ack of it tells. A plain state without references, changed by delivery and catch-up only.
struct Feed: ~Copyable {
    /// How durable events reach the session.
    enum State {
        /// As they are committed.
        case live
        /// The session fell behind or has just connected. Missed events are read from the log once the outbox is empty.
        case behind
        /// A page is being read.
        case reading
    }

    /// Messages whose ack still tells something.
    var unacked = UnackedMessages()
    /// Everything up to here that concerns the device was put into the outbox, or the device had it before.
    private(set) var sentPosition = Position.start
    private(set) var state = State.live
    /// Positions that a reply told while the session was behind: an ack that names one says nothing about what came
    /// before it.
    private var toldAhead: Set<Position> = []

    /// Positions told ahead.
    var toldAheadCount: Int { toldAhead.count }

    /// Where the device's cursor is: the session begins there.
    mutating func begin(at cursor: Position) { sentPosition = cursor }

    /// Everything up to here was put into the outbox.
    @inline(__always)
    mutating func sent(upTo position: Position) { sentPosition = position }

    /// It didn't take what it was sent; or a page was put into its outbox, and there may be more.
    mutating func fallBehind() { state = .behind }

    /// It waits for a page.
    mutating func beginReading() { state = .reading }

    /// Nothing that concerns the device is newer than this position.
    mutating func goLive(at position: Position, _ settled: borrowing Settled) {
        sentPosition = position
        state = .live
    }

    /// A reply named the position of an event. While live it counts as sent.
    mutating func tellAhead(_ position: Position) {
        if state != .live { toldAhead.insert(position) }
    }

    /// How far the device has got when it acks `position`; nil if that says nothing. A position that was told ahead
    /// says nothing about what has not been sent yet.
    mutating func acked(_ position: Position) -> Position? {
        guard !toldAhead.isEmpty else { return state == .live ? position : min(position, sentPosition) }
        guard !toldAhead.contains(position) else { return nil }
        let covered = state == .live ? position : min(position, sentPosition)
        toldAhead = toldAhead.filter { $0 > covered }
        return covered
    }

    /// The session has ended: nothing is sent to it any more.
    mutating func end() {
        state = .behind
        toldAhead = []
        unacked.removeAll()
    }
}
