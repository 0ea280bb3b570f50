import RoostClient
import RoostStore
import RoostWire

/// Erases what disappears, at its time by the relay's clock: this device's own, corrected by what the last `welcome`
/// said. The correction is kept, so that it also holds at a start without a network. Confined to the engine.
final class Deadlines {
    /// The longest wait: a device whose clock was set meanwhile notices it then.
    static let waitMax = Duration.seconds(3_600)
    /// Most transactions of one turn, so that the queue isn't held up.
    private static let steps = 8

    private let store: LocalStore
    private let clock: @Sendable () -> Timestamp

    init(_ store: LocalStore, clock: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.clock = clock
    }

    /// The time by the relay's clock.
    var now: Timestamp { Timestamp(milliseconds: clock().milliseconds &+ store.identity.clockAhead) }

    /// The relay has told its time.
    func correct(_ told: Timestamp) throws(LocalFailure) {
        try store.noteClock(ahead: told.milliseconds &- clock().milliseconds)
    }

    /// Erases what has disappeared by now.
    /// - Returns: the conversations that changed, and how long to wait until this is to be done again; nil if nothing
    ///   disappears.
    func pass() throws(LocalFailure) -> (changed: Set<String>, wait: Duration?) {
        var changed: Set<String> = []
        for _ in 0..<Deadlines.steps {
            guard let next = try store.nextExpiry() else { return (changed, nil) }
            let now = now
            guard next <= now else {
                let wait = Duration.milliseconds(next.milliseconds &- now.milliseconds)
                return (changed, max(.milliseconds(1), min(wait, Deadlines.waitMax)))
            }
            changed.formUnion(try store.expire(by: now))
        }
        return (changed, .zero)
    }
}
