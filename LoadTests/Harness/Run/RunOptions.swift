import RoostConfiguration

/// The options of a run, apart from the scenario. A value.
public struct RunOptions: Sendable, Equatable {
    /// Address of a running relay, `ws://host:port/v1/socket` or `wss://`; nil starts a relay for the run.
    public var url: String?
    /// The certificates that may sign the running relay's, for `wss://`; nil for those of the system.
    public var caFile: String?
    /// Signing key of the running relay, for creating the users' tokens.
    public var keyFile: String?
    /// Process of the running relay on this machine; nil if its cost isn't measured.
    public var pid: Int32?
    /// Bearer token for the running relay's `/metrics`.
    public var metricsToken: String?
    /// The program `roost`; nil means `ROOST_BINARY`, or the one beside this program.
    public var roost: String?
    /// Durability of the started relay: `full`, `normal` or `memory`.
    public var durability: String?
    /// `presence.grace_seconds` of the started relay, instead of the scenario's.
    public var graceSeconds: Int?
    /// Settings of the started relay, `key=value`.
    public var settings: [String] = []

    /// Keeps the started relay's folder and prints its path to standard error.
    public var keepsRelayFolder = false

    /// Replaces the scenario's users; nil keeps them.
    public var users: Int?
    /// Replaces the scenario's devices.
    public var devices: Int?
    /// Replaces the scenario's rate, in messages a second.
    public var rate: Double?
    /// Replaces the scenario's seconds of measured load.
    public var seconds: Double?
    /// Replaces the scenario's warm-up, in seconds.
    public var warmup: Double?
    /// Replaces the scenario's seed.
    public var seed: UInt64?
    /// Replaces how devices come back whose connection was cut: after a random wait, or without; nil keeps it.
    public var backoff: Bool?
    /// Run the same scenario with few users and for a few seconds.
    public var isShort = false

    /// Number of processes that share the load.
    public var workers = 1
    /// Pin the relay to core 0 and the harness to the others.
    public var isPinned = false
    /// The harness never sleeps.
    public var polls = false
    /// Only faults of the relay make a run fail.
    public var judgesOnlyCorrectness = false

    /// The defaults.
    public init() {}

    /// The allowed values of `workers`.
    public static let workersAllowed = 1...HarnessLimits.workersMax

    /// Users and seconds of a short run. Every phase happens, and a debug build on one core keeps up.
    static let short = (users: 30, seconds: 6.0)

    /// Returns the scenario as these options change it.
    public func applied(to scenario: Scenario) throws(ConfigurationFailure) -> Scenario {
        let base = isShort ? scenario.shortened(users: Self.short.users, seconds: Self.short.seconds) : scenario
        return try base.override(
            users: users, devices: devices, rate: rate, seconds: seconds, warmup: warmup, seed: seed, backoff: backoff)
    }
}

extension RunOptions {
    /// The command that repeats a run, for a report. It contains no token.
    public func command(running scenario: String) -> String {
        var words = ["roost-load", "run", scenario]
        func add(_ name: String, _ value: String?) { if let value { words += [name, value] } }
        add("--url", url)
        add("--ca-file", caFile)
        add("--key-file", keyFile)
        add("--pid", pid.map { "\($0)" })
        add("--roost", roost)
        add("--durability", durability)
        if url == nil, let graceSeconds { add("--grace", "\(graceSeconds)") }
        for setting in settings { add("--set", Self.withoutSecret(setting)) }
        add("--users", users.map { "\($0)" })
        add("--devices", devices.map { "\($0)" })
        add("--rate", rate.map { "\($0)" })
        add("--seconds", seconds.map { "\($0)" })
        add("--warmup", warmup.map { "\($0)" })
        add("--seed", seed.map { "\($0)" })
        add("--back-off", backoff.map { $0 ? "jitter" : "none" })
        if isShort { words.append("--short") }
        if workers > 1 { add("--workers", "\(workers)") }
        if isPinned { words.append("--pin") }
        if polls { words.append("--poll") }
        if judgesOnlyCorrectness { words.append("--correctness-only") }
        return words.map(Self.quoted).joined(separator: " ")
    }

    private static func withoutSecret(_ setting: String) -> String {
        setting.hasPrefix("metrics.token=") ? "metrics.token=…" : setting
    }

    // Quotes a word for a POSIX shell.
    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "-_./:=,@%+".utf8.contains(byte)
                }
            }
        return isPlain
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
