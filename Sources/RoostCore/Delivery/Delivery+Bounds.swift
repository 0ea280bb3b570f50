import RoostWire

extension Delivery {
    /// Its part of `Limits`.
    struct Bounds {
        /// Bytes that wait for a session above which what is ephemeral is held back.
        var calmBytes: Int
        /// Bytes that wait above which durable events are left to the log.
        var spillBytes: Int
        /// Bytes that wait above which the session is shut.
        var maxBytes: Int
        /// Ephemeral events that a session may be owed, and positions it may be told ahead.
        var owed: Int
        /// Messages of a session whose ack still tells something.
        var unacked: Int

        init(_ limits: Limits) {
            calmBytes = limits.outboxCalmBytes
            spillBytes = limits.outboxSpillBytes
            maxBytes = limits.outboxMaxBytes
            owed = limits.owedMax
            unacked = limits.unackedPerSession
        }
    }
}
