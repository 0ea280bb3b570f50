import RoostWire

/// The position of one session in durable events: live or behind, the sent part, and the meaning of its acks. Plain
/// state without references; only delivery and catch-up change it.
struct Feed: ~Copyable {
    /// The way that durable events take to the session.
    enum State {
        /// At once when they are committed.
        case live
        /// The session fell behind or has just connected. It gets what it missed once the outbox is empty.
        case behind
        /// It waits for a page of the log, or for its turn.
        case waiting
    }

    /// Sent messages whose ack is awaited.
    var unacked = UnackedMessages()
    /// Everything up to here that concerns the device was put into the outbox, or the device had it before.
    private(set) var sentPosition = Position.start
    private(set) var state = State.live
    /// The position at which the session first was live; nil before. Later events were stored while it was connected.
    private(set) var liveSince: Position?
    /// Positions named in a reply while the session was behind, and whether the reply stands for the event. An ack of
    /// one of these says nothing about earlier events.
    private var toldAhead: [Position: Bool] = [:]

    /// The number of positions in replies that were out of order.
    var toldAheadCount: Int { toldAhead.count }

    /// Whether a reply contained the event while the session was behind, so it needn't come.
    func isAnswered(_ position: Position) -> Bool { !toldAhead.isEmpty && toldAhead[position] == true }

    /// Starts the session at its device's cursor.
    mutating func begin(at cursor: Position) { sentPosition = cursor }

    /// Everything up to this position is in the outbox.
    @inline(__always)
    mutating func sent(upTo position: Position) {
        assert(position >= sentPosition, "events are sent in the order of the log")
        sentPosition = position
    }

    /// The session could not take what was sent, or got a page after which there may be more.
    mutating func fallBehind() { state = .behind }

    /// The session waits for a page or for its turn.
    mutating func beginWaiting() { state = .waiting }

    /// Nothing that concerns the device is newer than this position.
    mutating func goLive(at position: Position, _ settled: borrowing Settled) {
        sentPosition = position
        state = .live
        if liveSince == nil { liveSince = position }
    }

    /// The position in `live` when the session is at `position`. It is below those of earlier replies, because an ack
    /// of one of these may have been sent before the client got the earlier events. Events above it may come again.
    func liveMark(at position: Position) -> Position {
        var mark = position.value
        while mark > 0, toldAhead[Position(mark)] != nil { mark -= 1 }
        return Position(mark)
    }

    /// A reply named the position of an event. For a live session the event counts as sent.
    /// - Parameter standsForEvent: whether the client needs nothing else of it.
    mutating func tellAhead(_ position: Position, standsForEvent: Bool) {
        if state != .live, toldAhead[position] != true { toldAhead[position] = standsForEvent }
    }

    /// The device's position when it acks `position`; nil if it can't be known. An ack of a reply's position out of
    /// order says nothing about events that have not been sent yet.
    mutating func acked(_ position: Position) -> Position? {
        guard !toldAhead.isEmpty else { return state == .live ? position : min(position, sentPosition) }
        guard toldAhead[position] == nil else { return nil }
        let covered = state == .live ? position : min(position, sentPosition)
        toldAhead = toldAhead.filter { $0.key > covered }
        return covered
    }

    /// The session has ended; nothing more is sent to it.
    mutating func end() {
        state = .behind
        toldAhead = [:]
        unacked.removeAll()
    }
}
