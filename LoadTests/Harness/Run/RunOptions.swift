/// What the command line says about a run, apart from the scenario. A value.
public struct RunOptions: Sendable, Equatable {
    /// A running relay, `ws://host:port/v1/socket`; nil: one of our own is started for the run.
    public var url: String?
    /// Of the running relay: its signing key, from which the users' tokens are made.
    public var keyFile: String?
    /// Of the running relay, on this machine; nil: what it uses isn't measured.
    public var pid: Int32?
    /// What the running relay's `/metrics` asks for.
    public var metricsToken: String?
    /// The program `roost`; nil: `ROOST_BINARY`, or beside this one.
    public var roost: String?
    /// `full`, `normal` or `memory`, of a relay of our own.
    public var durability: String?
    /// `presence.grace_seconds` of a relay of our own.
    public var graceSeconds = 2
    /// `key=value` of a relay of our own.
    public var settings: [String] = []

    /// The folder of a relay of our own stays, and is named on standard error.
    public var keepsRelayFolder = false

    /// What replaces the scenario's own; nil: nothing.
    public var users: Int?
    /// As `users`.
    public var devices: Int?
    /// As `users`; messages a second.
    public var rate: Double?
    /// As `users`.
    public var seconds: Double?
    /// As `users`; seconds.
    public var warmup: Double?
    /// As `users`.
    public var seed: UInt64?
    /// A few users and seconds of the same structure.
    public var isShort = false

    /// Processes that share the load.
    public var workers = 1
    /// Relay on core 0, harness on the others.
    public var isPinned = false
    /// The harness never sleeps.
    public var polls = false
    /// Only faults against the contract break the run.
    public var judgesOnlyCorrectness = false

    /// Everything as if nothing was said.
    public init() {}

    /// What `workers` may be.
    public static let workersAllowed = 1...HarnessLimits.workersMax

    /// Users and seconds of a short run: every phase happens, and a debug build on one core keeps up.
    static let short = (users: 30, seconds: 6.0)

    /// The scenario as these options change it.
    public func applied(to scenario: Scenario) throws(ScenarioFailure) -> Scenario {
        let base = isShort ? scenario.shortened(users: Self.short.users, seconds: Self.short.seconds) : scenario
        return try base.override(
            users: users, devices: devices, rate: rate, seconds: seconds, warmup: warmup, seed: seed)
    }
}

extension RunOptions {
    /// The command that repeats a run, for a report. It holds no token.
    public func command(running scenario: String) -> String {
        var words = ["roost-load", "run", scenario]
        func add(_ name: String, _ value: String?) { if let value { words += [name, value] } }
        add("--url", url)
        add("--key-file", keyFile)
        add("--pid", pid.map { "\($0)" })
        add("--roost", roost)
        add("--durability", durability)
        if url == nil, graceSeconds != RunOptions().graceSeconds { add("--grace", "\(graceSeconds)") }
        for setting in settings { add("--set", Self.withoutSecret(setting)) }
        add("--users", users.map { "\($0)" })
        add("--devices", devices.map { "\($0)" })
        add("--rate", rate.map { "\($0)" })
        add("--seconds", seconds.map { "\($0)" })
        add("--warmup", warmup.map { "\($0)" })
        add("--seed", seed.map { "\($0)" })
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

    // As a POSIX shell reads it.
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
