import RoostClient
import RoostStore
import RoostWire

/// Erases what disappears, and ends mutes, at their time by the relay's clock: this device's own, corrected by what the
/// last `welcome` said. The correction is kept, so that it also holds at a start without a network. Confined to the
/// engine.
final class Deadlines {
    /// The longest wait: a device whose clock was set meanwhile notices it then.
    static let waitMax = Duration.seconds(3_600)
    /// Most transactions of one turn, so that the queue isn't held up.
    private static let steps = 8

    private let store: LocalStore
    private let clock: @Sendable () -> Timestamp
    // When the first mute ends.
    private var muteEnd: Timestamp?

    init(_ store: LocalStore, clock: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.clock = clock
    }

    /// The time by the relay's clock.
    var now: Timestamp { Timestamp(milliseconds: clock().milliseconds &+ store.identity.clockAhead) }

    /// Corrects the clock by the relay's time.
    func correct(_ told: Timestamp) throws(LocalFailure) {
        try store.noteClock(ahead: told.milliseconds &- clock().milliseconds)
    }

    /// Does what is due by now.
    /// - Returns: the conversations that changed, nil if nothing did; and how long to wait until this is to be done
    ///   again, nil if nothing ends by itself.
    func pass() throws(LocalFailure) -> (changed: Set<String>?, wait: Duration?) {
        var changed: Set<String>?
        let now = now
        if let end = muteEnd, end <= now { changed = [] }
        muteEnd = try store.settings.muted(at: now).until
        for _ in 0..<Deadlines.steps {
            let expiry = try store.nextExpiry()
            guard let expiry, expiry <= now else {
                guard let next = [expiry, muteEnd].compactMap({ $0 }).min() else { return (changed, nil) }
                let wait = Duration.milliseconds(next.milliseconds &- now.milliseconds)
                return (changed, max(.milliseconds(1), min(wait, Deadlines.waitMax)))
            }
            changed = (changed ?? []).union(try store.expire(by: now))
        }
        return (changed, .zero)
    }
}
