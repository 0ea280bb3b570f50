/// The client's timers: one of each kind, each a task that sleeps on the clock that was handed in, and then rings at
/// the client's `ring`. Confined to the client.
final class Alarms {
    enum Kind: Hashable, Sendable {
        /// The next try to connect.
        case reconnect
        /// No session came of a try.
        case welcome
        /// The token ends soon.
        case refresh
        /// The oldest command has waited long enough.
        case replies
        /// Acks have been gathered long enough.
        case acks
        /// Messages that were refused for now may be sent again.
        case outgoing
        /// Nothing came for a while.
        case quiet
        /// The server doesn't close after `bye`.
        case goodbye
    }

    // The number tells an alarm from an earlier one of its kind that rings late.
    private struct Running {
        var number: Int
        var task: Task<Void, Never>
    }

    private let sleep: @Sendable (Duration) async throws -> Void
    private var running: [Kind: Running] = [:]
    private var count = 0
    /// Called when an alarm rings, with what `take` wants to know. Set once.
    var ring: @Sendable (Kind, Int) async -> Void = { _, _ in }

    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    deinit { cancelAll() }

    /// Sets an alarm, in place of an earlier one of its kind.
    func set(_ kind: Kind, after wait: Duration) {
        count += 1
        let number = count
        let (sleep, ring) = (sleep, ring)
        let task = Task.detached {
            do { try await sleep(max(wait, .zero)) } catch { return }
            await ring(kind, number)
        }
        running.updateValue(Running(number: number, task: task), forKey: kind)?.task.cancel()
    }

    func isSet(_ kind: Kind) -> Bool { running[kind] != nil }

    func cancel(_ kind: Kind) { running.removeValue(forKey: kind)?.task.cancel() }

    func cancelAll() {
        for alarm in running.values { alarm.task.cancel() }
        running.removeAll()
    }

    /// Whether an alarm that rings is the one that is set; it isn't any more then.
    func take(_ kind: Kind, _ number: Int) -> Bool {
        guard running[kind]?.number == number else { return false }
        running[kind] = nil
        return true
    }
}
