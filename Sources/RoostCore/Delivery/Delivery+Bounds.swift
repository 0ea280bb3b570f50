import RoostWire

extension Delivery {
    /// The limits of this part.
    struct Bounds {
        /// If more bytes than this wait for a session, ephemeral events are held back.
        var calmBytes: Int
        /// If more bytes than this wait, durable events are left to catch-up from the log.
        var spillBytes: Int
        /// If more bytes than this wait, the session is closed.
        var maxBytes: Int
        /// The same for all sessions of one user together.
        var userBytes: Int
        /// The same for all sessions. From half of it on, slow sessions get less.
        var allBytes: Int
        /// The fewest sessions a turn may visit, and the fewest of crowds beside them.
        var visitsMin, crowdVisitsMin: Int
        /// Ephemeral events that may be held back for a session, and positions that replies may contain out of order.
        /// Commands under way may add some more.
        var owed: Int
        /// The wait for a session that writes faster than it catches up.
        var aheadMilliseconds: Int64
        /// Sent messages of which a session's ack is still awaited.
        var unacked: Int

        init(_ limits: Limits) {
            calmBytes = limits.outboxCalmBytes
            spillBytes = limits.outboxSpillBytes
            maxBytes = limits.outboxMaxBytes
            userBytes = limits.outboxUserBytes
            allBytes = limits.outboxAllBytes
            visitsMin = limits.visitsMin
            crowdVisitsMin = limits.crowdVisitsMin
            owed = limits.owedMax
            aheadMilliseconds = limits.aheadRetryMilliseconds
            unacked = limits.unackedPerSession
        }
    }
}
