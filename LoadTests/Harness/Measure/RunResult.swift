/// What one process measured, raw: it can be stored, sent to the parent process, merged with the others' and turned
/// into a `Report`. A value.
public struct RunResult: Codable, Sendable {
    /// From the moment the event was due: what users feel, stalls of the harness and the relay included.
    public var corrected: [LatencyKind: Distribution] = [:]
    /// From the moment the bytes were handed to the socket.
    public var uncorrected: [LatencyKind: Distribution] = [:]
    /// Events of the measured load.
    public var counts = Counts()
    /// What broke the contract, the warm-up included.
    public var faults = FaultCounts()
    /// By second, the warm-up included.
    public var timeline: [Second] = []
    /// In the order of the scenario.
    public var storms: [StormResult] = []
    /// Whether the harness kept up.
    public var health = Health()
    /// `welcome.server`, `welcome.durability`.
    public var relay = ""
    /// `welcome.durability`.
    public var durability = ""
    /// Seconds of measured load that were run; fewer than asked for when the run was cut short.
    public var seconds = 0.0
    /// Whether somebody ended it early.
    public var wasInterrupted = false
    /// Errors that the relay answered, by code.
    public var errors: [String: UInt64] = [:]

    /// Events of the measured load, warm-up left out.
    public struct Counts: Codable, Sendable {
        /// Messages that the schedule made due.
        public var due: UInt64 = 0
        /// Of these, handed to a socket.
        public var sent: UInt64 = 0
        /// Of these, answered `ok`.
        public var acked: UInt64 = 0
        /// Deliveries of these, one for each device.
        public var delivered: UInt64 = 0
        /// Deliveries that had to come of what was sent.
        public var expected: UInt64 = 0
        /// Deliveries of signals that did not come; signals may be lost.
        public var missedSignals: UInt64 = 0
        /// Sessions at the end of the set-up.
        public var sessions: UInt64 = 0
        /// Sessions begun, the set-up included.
        public var connects: UInt64 = 0
        /// Sessions ended on purpose.
        public var disconnects: UInt64 = 0
        /// Connections that ended although nobody meant them to.
        public var lostConnections: UInt64 = 0
        /// Messages that came to devices which had missed them.
        public var caughtUpMessages: UInt64 = 0
        /// From the first `welcome` of those who came back to the last message that was missed.
        public var catchUpSeconds = 0.0
        /// Receipt events.
        public var receipts: UInt64 = 0
        /// Presence states shown.
        public var presences: UInt64 = 0
        /// Typing events.
        public var typings: UInt64 = 0
        /// Frames from the relay of any kind, set-up included.
        public var frames: UInt64 = 0
    }

    /// One second of the load; the warm-up's are negative.
    public struct Second: Codable, Sendable {
        /// Since the measured load began.
        public var second: Int
        /// Messages that came due in it.
        public var due: UInt64 = 0
        /// Handed to a socket.
        public var sent: UInt64 = 0
        /// Answered `ok`.
        public var acked: UInt64 = 0
        /// Deliveries, one for each device.
        public var delivered: UInt64 = 0
        /// Connected at its end.
        public var sessions: UInt64 = 0
        /// Corrected delivery latency.
        public var delivery = Distribution()
    }

    /// How one storm went.
    public struct StormResult: Codable, Sendable {
        /// When it was to begin, in seconds of the measured load.
        public var at: Double
        /// Whether the devices waited at random before they came back.
        public var backoff: Bool
        /// Sessions that dropped.
        public var sessions: UInt64
        /// From the drop to the last `welcome`.
        public var seconds: Double
    }

    /// Whether the harness itself kept up.
    public struct Health: Codable, Sendable {
        /// From due to sent, ns.
        public var lateness = Distribution()
        /// Length of the loop's turns, ns: for so long nothing was read.
        public var turns = Distribution()
        /// Of one core, 0…1, over the measured load.
        public var cpuShare = 0.0
        /// Of that time, how much the process was ready to run but had no core, 0…1.
        public var waitShare = 0.0
    }
}
