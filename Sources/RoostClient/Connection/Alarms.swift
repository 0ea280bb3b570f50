/// The client's timers. Each is a task that sleeps on the given clock and then calls `ring`. There is at most one of
/// each kind. Confined to the client.
final class Alarms {
    enum Kind: Hashable, Sendable {
        /// The next attempt to connect.
        case reconnect
        /// A try has not led to a session.
        case welcome
        /// The token will expire soon.
        case refresh
        /// The oldest command has waited too long.
        case replies
        /// Acks have been collected long enough.
        case acks
        /// Messages that were refused for now may be sent again.
        case outgoing
        /// A conversation takes messages again, whose group lets members write once in a time.
        case pace(String)
        /// Nothing has arrived for a while.
        case quiet
        /// The server has not closed the connection after `bye`.
        case goodbye
    }

    // The number distinguishes this alarm from an earlier one of the same kind that rings late.
    private struct Running {
        var number: Int
        var task: Task<Void, Never>
    }

    private let sleep: @Sendable (Duration) async throws -> Void
    private var running: [Kind: Running] = [:]
    private var count = 0
    /// Called when an alarm rings, with the values that `take` asks for. Set once.
    var ring: @Sendable (Kind, Int) async -> Void = { _, _ in }

    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    deinit { cancelAll() }

    /// Sets an alarm, and replaces an earlier one of its kind.
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

    /// Whether a ringing alarm is the one that is set. If so, it is no longer set afterwards.
    func take(_ kind: Kind, _ number: Int) -> Bool {
        guard running[kind]?.number == number else { return false }
        running[kind] = nil
        return true
    }
}
