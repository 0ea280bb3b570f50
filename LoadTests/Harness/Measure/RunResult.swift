/// The raw measurements of one process. They can be stored, sent to the parent process, merged with those of others,
/// and turned into a `Report`. A value.
public struct RunResult: Codable, Sendable {
    /// Latencies from the moment the event was due: what users feel, including stalls of the harness and the relay.
    public var corrected: [LatencyKind: Distribution] = [:]
    /// Latencies from the moment the bytes were handed to the socket.
    public var uncorrected: [LatencyKind: Distribution] = [:]
    /// Counts of the measured load.
    public var counts = Counts()
    /// Faults, including those of the warm-up.
    public var faults = FaultCounts()
    /// One entry for each second, including the warm-up.
    public var timeline: [Second] = []
    /// Storms, restarts and everything else that many sessions had to recover from, in the order of time.
    public var disturbances: [Disturbance] = []
    /// Whether the harness kept up.
    public var health = Health()
    /// The relay's `welcome.server`.
    public var relay = ""
    /// The relay's `welcome.durability`.
    public var durability = ""
    /// Seconds of measured load that were run; fewer than planned if the run was cut short.
    public var seconds = 0.0
    /// Whether the run was ended early.
    public var wasInterrupted = false
    /// Errors that the relay answered with, by code.
    public var errors: [String: UInt64] = [:]

    /// Counts of the measured load, without the warm-up.
    public struct Counts: Codable, Sendable {
        /// Messages that were due.
        public var due: UInt64 = 0
        /// Due messages that were handed to a socket.
        public var sent: UInt64 = 0
        /// Sent messages that were answered with `ok`.
        public var acked: UInt64 = 0
        /// Due messages that waited until the relay let their senders in again. They count from when they were due.
        public var delayed: UInt64 = 0
        /// Due messages that were never sent, because the relay didn't let their senders in.
        public var unsent: UInt64 = 0
        /// Deliveries of sent messages, one for each device.
        public var delivered: UInt64 = 0
        /// Deliveries that should have resulted from the sent messages.
        public var expected: UInt64 = 0
        /// Deliveries of signals that did not come; signals may be lost.
        public var missedSignals: UInt64 = 0
        /// Sessions at the end of the set-up.
        public var sessions: UInt64 = 0
        /// Sessions begun, including the set-up.
        public var connects: UInt64 = 0
        /// Sessions ended on purpose.
        public var disconnects: UInt64 = 0
        /// Connections that ended unintentionally.
        public var lostConnections: UInt64 = 0
        /// Messages delivered to devices that had missed them.
        public var caughtUpMessages: UInt64 = 0
        /// Seconds from the first `welcome` of the returning devices to the last `live` of those that had missed some.
        public var catchUpSeconds = 0.0
        /// Receipt events received.
        public var receipts: UInt64 = 0
        /// States of users received in `presence` events of the measured load.
        public var presences: UInt64 = 0
        /// These events: one may tell of several users.
        public var presenceFrames: UInt64 = 0
        /// Typing events received.
        public var typings: UInt64 = 0
        /// Frames of any kind received from the relay, including the set-up.
        public var frames: UInt64 = 0
    }

    /// One second of the load.
    public struct Second: Codable, Sendable {
        /// Number of the second since the measured load began; negative in the warm-up.
        public var second: Int
        /// Messages that became due.
        public var due: UInt64 = 0
        /// Messages handed to a socket.
        public var sent: UInt64 = 0
        /// Messages answered with `ok`.
        public var acked: UInt64 = 0
        /// Deliveries, one for each device.
        public var delivered: UInt64 = 0
        /// Sessions connected at the end of the second.
        public var sessions: UInt64 = 0
        /// Sessions among these that got `welcome` and not yet `live`.
        public var behind: UInt64 = 0
        /// Corrected delivery latency.
        public var delivery = Distribution()
    }

    /// Something that many sessions had to recover from at once.
    public struct Disturbance: Codable, Sendable, Equatable {
        /// The kind of a disturbance.
        public enum Kind: String, Codable, Sendable {
            /// Connections were cut.
            case storm
            /// The relay was killed and started again.
            case kill
            /// The relay drained and was started again.
            case drain
            /// Devices stopped reading for a while.
            case stall
            /// Many left by plan, and came back together.
            case absence
            /// The rate of messages was higher before.
            case overload
        }

        /// The kind of the disturbance.
        public var kind: Kind
        /// When it began, in seconds of the measured load.
        public var at: Double
        /// From when on the relay could recover, in seconds of the measured load.
        public var end: Double
        /// Whether the devices waited a random time before they came back.
        public var backoff = false
        /// Sessions that it cut or stalled.
        public var sessions: UInt64
        /// Seconds from `end` to the last `welcome`; infinite: some were never back.
        public var welcomed = Double.infinity
        /// Seconds from the last `welcome` until every session had got `live`; infinite: some never did.
        public var live = Double.infinity
        /// Until all processes have been added up: deliveries between users that it spared, by spans of time since it
        /// began.
        var bystanders: [Distribution]?
    }

    /// Whether the harness itself kept up.
    public struct Health: Codable, Sendable {
        /// Time from due to sent, in ns.
        public var lateness = Distribution()
        /// Length of the loop's turns in ns; nothing is read during a turn.
        public var turns = Distribution()
        /// Share of one core that the engine used in the measured load, 0…1.
        public var cpuShare = 0.0
        /// Share of that time in which the engine was ready to run but had no core, 0…1.
        public var waitShare = 0.0
    }
}
