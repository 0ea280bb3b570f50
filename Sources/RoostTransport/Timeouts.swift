/// When connections end that make no progress. A wheel of seconds: setting a time costs the same however many there
/// are. The library would keep them in one sorted list and walk it from its head: 8,000 clients that said goodbye at
/// once held the loop for two seconds. Loop thread only.
struct Timeouts {
    /// The state that a connection keeps for its timeouts. Times are monotonic seconds.
    struct Slot {
        /// When the connection ends; nil: not yet known.
        fileprivate var endsAt: Int64?
        /// Where it is in the wheel. Later times are found when that is reached.
        fileprivate var listedAt = Int64.max
    }

    // Longer times are looked at again after one turn of the wheel.
    private static let seconds: Int64 = 64

    private var wheel: [[Connection]] = Array(repeating: [], count: Int(seconds))
    private var reached: Int64

    /// - Parameter now: monotonic milliseconds.
    init(at now: Int64) { reached = now / 1_000 }

    /// Ends the connection after so many seconds, and up to two more; 0 means never. Replaces an earlier call.
    mutating func set(_ connection: Connection, after seconds: Int32, at now: Int64) {
        guard seconds > 0 else { return connection.slots.timeout.endsAt = nil }
        let end = now / 1_000 + Int64(seconds) + 1
        connection.slots.timeout.endsAt = end
        if end < connection.slots.timeout.listedAt { list(connection, at: end) }
    }

    private mutating func list(_ connection: Connection, at second: Int64) {
        let second = min(max(second, reached + 1), reached + Self.seconds - 1)
        connection.slots.timeout.listedAt = second
        wheel[Int(second % Self.seconds)].append(connection)
    }

    /// Returns the connections whose time is over.
    mutating func expire(at now: Int64) -> [Connection] {
        var expired: [Connection] = []
        while reached < now / 1_000 {
            reached += 1
            var due: [Connection] = []
            swap(&due, &wheel[Int(reached % Self.seconds)])
            // A connection may have been listed for an earlier time since.
            for connection in due where connection.slots.timeout.listedAt == reached {
                connection.slots.timeout.listedAt = .max
                guard let end = connection.slots.timeout.endsAt else { continue }
                if end <= reached { expired.append(connection) } else { list(connection, at: end) }
            }
        }
        return expired
    }
}
