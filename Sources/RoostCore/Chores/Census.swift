import RoostFraming
import RoostWire

/// Looks at all sessions, one by one, for what operators want to know of those who are behind. Sessions that come or go
/// meanwhile may be counted or not.
final class Census: Chore {
    /// Steps for a look at a session that has not been touched for a while, by the time it takes.
    private static let stepsPerSession = 4

    private unowned let sessions: Sessions
    private unowned let times: DeliveryTimes
    private let head: Position
    private let now: Moment
    private let done: (Counters.Census) -> Void
    private var place = 0
    private var reading = Counters.Census()

    init(
        of sessions: Sessions, _ times: DeliveryTimes, head: Position, at now: Moment,
        _ done: @escaping (Counters.Census) -> Void
    ) {
        self.sessions = sessions
        self.times = times
        self.head = head
        self.now = now
        self.done = done
    }

    func work(_ steps: inout Int) -> Bool {
        let all = sessions.all
        while place < all.count {
            guard steps > 0 else { return false }
            steps -= Census.stepsPerSession
            look(at: all[place])
            place += 1
        }
        done(reading)
        return true
    }

    private func look(at session: Session) {
        reading.largestOutbox = max(reading.largestOutbox, session.outbox.bytes + session.heldBytes)
        guard session.phase == .ready else { return }
        if session.feed.state != .live, session.feed.sentPosition < head {
            reading.furthestBehind = max(reading.furthestBehind, head.value - session.feed.sentPosition.value)
            note(Position(session.feed.sentPosition.value + 1), in: \.oldestUnsent)
        }
        if let first = session.feed.unacked.first { note(first.position, in: \.oldestUnacked) }
    }

    private func note(_ position: Position, in age: WritableKeyPath<Counters.Census, Int64>) {
        reading[keyPath: age] = max(
            reading[keyPath: age], now.wall.milliseconds - times.arrival(of: position).milliseconds)
    }
}
