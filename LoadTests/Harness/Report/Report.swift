/// The judged outcome of one run: what `report.json` holds and every other view is made from. A value.
public struct Report: Codable, Sendable {
    /// Of this layout; readers refuse a newer one.
    public static let currentFormat = 1

    /// Of which layout this one is.
    public var format = Report.currentFormat
    /// What was run, with all that the command line changed.
    public var scenario: Scenario
    /// What came out.
    public var verdict: Verdict
    /// Why it isn't `held`, a sentence each.
    public var reasons: [String] = []
    /// ISO 8601, UTC.
    public var started: String
    /// What it ran on.
    public var machine: Machine
    /// Processes that shared the load.
    public var workers = 1
    /// The command that repeats the run.
    public var command: String
    /// All that was measured.
    public var result: RunResult
    /// What the relay used; nil: it could not be looked at.
    public var cost: Cost?
    /// In the order of the scenario.
    public var thresholds: [Judgement] = []

    /// The exit code is the raw value.
    public enum Verdict: Int, Codable, Sendable {
        case held = 0
        /// A threshold or the contract was broken.
        case broken = 1
        /// It could not be run.
        case failed = 2
        /// It ran, but the harness itself was too late or out of CPU: the figures say nothing of the relay.
        case invalid = 3
    }

    /// A threshold, and what came out.
    public struct Judgement: Codable, Sendable {
        /// What was asked.
        public var threshold: Threshold
        /// nil: nothing of the kind was measured, which breaks the threshold.
        public var actual: Double?
        /// Whether it holds.
        public var holds: Bool
    }

    /// What it ran on.
    public struct Machine: Codable, Sendable {
        /// Kernel and architecture.
        public var system = ""
        /// Its name.
        public var processor = ""
        /// Cores that may be used.
        public var cores = 0
        /// Memory, MiB.
        public var memoryMiB = 0
    }

    /// What the relay used, from /proc by process id and from its `/metrics`.
    public struct Cost: Codable, Sendable {
        /// Over the measured load.
        public var cpuSeconds = 0.0
        /// CPU time by delivery; nil: nothing was delivered.
        public var microsecondsPerDelivery: Double?
        /// Resident memory, KiB: before the first connection, with all sessions idle after set-up, at its most, at the
        /// end.
        public var rssBefore = 0
        /// With all sessions idle, KiB.
        public var rssConnected = 0
        /// At its most, KiB.
        public var rssPeak = 0
        /// At the end, KiB.
        public var rssEnd = 0
        /// (rssConnected - rssBefore) by session.
        public var bytesPerSession: Double?
        /// Open descriptors at their most.
        public var descriptorsPeak = 0
        /// Sampled each second, since the measured load began (the warm-up's are negative).
        public var samples: [Sample] = []
        /// Counters of `/metrics` over the measured load, by name; gauges at its end.
        public var metrics: [String: Double] = [:]

        /// What it used in one second.
        public struct Sample: Codable, Sendable {
            /// Since the measured load began.
            public var second: Int
            /// Cores used in that second.
            public var cpu: Double
            /// Resident memory, KiB.
            public var rss: Int
            /// Open descriptors.
            public var descriptors: Int
        }
    }
}
