/// Stores and sends changes of presence. Thousands may come within one tick, and thousands may watch one user.
final class PresenceRound: Chore {
    private unowned let presence: PresenceCommands
    /// The last tick.
    var now: Moment

    init(of presence: PresenceCommands, at now: Moment) {
        self.presence = presence
        self.now = now
    }

    func work(_ steps: inout Int) -> Bool { presence.announce(&steps, at: now) }
}
