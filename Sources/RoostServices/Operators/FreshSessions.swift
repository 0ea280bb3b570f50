import Synchronization

/// Sessions of operators who have shown their password a short while ago. Kept in memory: after a restart they show it
/// again. Any thread may use it.
final class FreshSessions: Sendable {
    /// Sessions at once. There are few operators; one more makes the one go that ends first.
    static let most = 1_000

    private let until = Mutex<[String: Int64]>([:])

    /// Notes that a session is fresh until then, in milliseconds since 1970.
    func note(_ session: String, until end: Int64, now: Int64) {
        until.withLock { sessions in
            sessions = sessions.filter { $0.value > now }
            if sessions.count >= FreshSessions.most, let first = sessions.min(by: { $0.value < $1.value })?.key {
                sessions[first] = nil
            }
            sessions[session] = end
        }
    }

    /// Whether it is fresh.
    func has(_ session: String, now: Int64) -> Bool { until.withLock { $0[session] ?? 0 } > now }

    /// Number of sessions that are kept.
    var count: Int { until.withLock { $0.count } }
}
