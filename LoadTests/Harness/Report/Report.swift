/// The judged result of one run. `report.json` stores it, and every other view is made from it. A value.
public struct Report: Codable, Sendable {
    /// The present version of the layout. Readers refuse another one.
    public static let currentFormat = 1

    /// The version of this report's layout.
    public var format = Report.currentFormat
    /// The scenario, with all changes by the command line.
    public var scenario: Scenario
    /// The verdict.
    public var verdict: Verdict
    /// Why the verdict isn't `held`, one sentence each.
    public var reasons: [String] = []
    /// When the run started, in ISO 8601, UTC.
    public var started: String
    /// The machine.
    public var machine: Machine
    /// Number of processes that shared the load.
    public var workers = 1
    /// The command that repeats the run.
    public var command: String
    /// All measurements.
    public var result: RunResult
    /// The relay's cost; nil if that could not be measured.
    public var cost: Cost?
    /// The judged thresholds, in the order of the scenario.
    public var thresholds: [Judgement] = []

    /// The verdict. Its raw value is the exit code.
    public enum Verdict: Int, Codable, Sendable {
        case held = 0
        /// A threshold or a promise of the relay was broken.
        case broken = 1
        /// The run wasn't possible.
        case failed = 2
        /// The harness itself was too late or short of CPU, so the figures say nothing about the relay.
        case invalid = 3
    }

    /// A threshold and the measured figure.
    public struct Judgement: Codable, Sendable {
        /// The threshold.
        public var threshold: Threshold
        /// The measured figure; nil if it was not measured, which breaks the threshold.
        public var actual: Double?
        /// Whether the threshold holds.
        public var holds: Bool
    }

    /// The machine of a run.
    public struct Machine: Codable, Sendable {
        /// Kernel and architecture.
        public var system = ""
        /// Name of the processor.
        public var processor = ""
        /// Number of usable cores.
        public var cores = 0
        /// Memory in MiB.
        public var memoryMiB = 0
    }

    /// The relay's CPU time and memory, from /proc and from its `/metrics`.
    public struct Cost: Codable, Sendable {
        /// CPU time over the measured load.
        public var cpuSeconds = 0.0
        /// CPU time per delivery; nil if nothing was delivered.
        public var microsecondsPerDelivery: Double?
        /// Resident memory in KiB before the first connection.
        public var rssBefore = 0
        /// Resident memory in KiB with all sessions idle after the set-up.
        public var rssConnected = 0
        /// Peak of the resident memory in KiB.
        public var rssPeak = 0
        /// Resident memory in KiB at the end.
        public var rssEnd = 0
        /// (rssConnected - rssBefore) per session, in bytes.
        public var bytesPerSession: Double?
        /// Peak of open descriptors.
        public var descriptorsPeak = 0
        /// Samples, one for each second.
        public var samples: [Sample] = []
        /// Counters of `/metrics` over the measured load, by name; gauges at its end.
        public var metrics: [String: Double] = [:]

        /// The relay's use in one second.
        public struct Sample: Codable, Sendable {
            /// Number of the second since the measured load began; negative in the warm-up.
            public var second: Int
            /// Cores used in that second.
            public var cpu: Double
            /// Resident memory in KiB.
            public var rss: Int
            /// Open descriptors.
            public var descriptors: Int
        }
    }
}
