import RoostFraming
import RoostWire

/// `status`, and the statuses that end by themselves. Loop thread only.
final class StatusCommands {
    var ends: StatusEnds
    private let presence: Presence
    private let prices: Prices
    private let journal: Journal
    private let delivery: Delivery
    private let replies: Replies
    /// Milliseconds for which a status may be set.
    private let longest: Int64

    init(
        _ limits: Limits, _ presence: Presence, _ prices: Prices, _ journal: Journal, _ delivery: Delivery,
        _ replies: Replies, at now: Int64
    ) {
        ends = StatusEnds(limits, at: now)
        self.presence = presence
        self.prices = prices
        self.journal = journal
        self.delivery = delivery
        self.replies = replies
        longest = limits.statusMaxMilliseconds
    }

    func set(
        _ choice: StatusChoice?, _ text: Text?, after time: Int64?, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try session.speaker()
        try replies.held.reserve()
        let end = try end(after: time, at: now)
        let (choice, text) = (choice ?? user.presence.status.choice, text?.string ?? user.presence.status.text)
        if choice != user.presence.status.choice || text != user.presence.status.text {
            let told = user.presence.watchers.count + user.peers.count + user.sessions.count
            try prices.pay(deliveries: told, by: session, at: now)
        }
        let mutation = presence.set(choice, text, until: end, of: user, at: now)
        if let mutation {
            journal.store(mutation)
            ends.note(user, at: now)
        }
        replies.acceptOnceStored(
            id, session, announce: mutation.map { _ in { [unowned self] _ in announce(user) } }, at: now)
    }

    private func end(after time: Int64?, at now: Moment) throws(Refusal) -> Timestamp {
        guard let time else { return .never }
        guard time <= longest else {
            throw Refusal(.tooLarge, "after must be at most \(longest) ms, \(longest / 86_400_000) days")
        }
        return now.wall.expiry(after: time)
    }

    /// Notifies the user's own devices.
    private func announce(_ user: User) {
        let frame = own(user)
        for session in user.sessions { delivery.deliver(frame, .status, to: session) }
    }

    /// Ends statuses whose time is over.
    func tick(at now: Moment) {
        for user in ends.takeEnded(at: now) {
            guard let mutation = presence.set(.auto, "", of: user, at: now) else { continue }
            journal.store(mutation)
            announce(user)
        }
    }

    /// The event for the user's own devices with the user's chosen status.
    func own(_ user: User) -> Frame {
        replies.builder.begin("status")
        replies.builder.members(of: user.presence.status)
        return replies.builder.finish()
    }
}
