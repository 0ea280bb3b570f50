import ArgumentParser
import Foundation
import RoostLoad

/// The options of every command that runs scenarios.
struct RunFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Address of a running relay. If not given, a relay is started for each run.", valueName: "ws://…/v1/socket")
    )
    var url: String?
    @Option(help: "File of the certificates that may sign the running relay's, for wss://; otherwise the system's.")
    var caFile: String?
    @Option(help: "File of the running relay's signing key, for creating the users' tokens.") var keyFile: String?
    @Option(help: "Process id of the running relay, to measure what it uses.") var pid: Int32?
    @Option(help: "Bearer token of the running relay's /metrics. Better set in ROOST_METRICS_TOKEN.") var metricsToken:
        String?

    @Option(help: "Program of the relay. If not given, $ROOST_BINARY; if that is not set, the one beside this program.")
    var roost: String?
    @Option(help: "Durability of the started relay: full, normal or memory.") var durability: String?
    @Option(
        help: ArgumentHelp(
            "presence.grace_seconds of the started relay, instead of the scenario's.", valueName: "seconds"))
    var grace: Int?
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set a configuration key of the started relay; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    @Flag(name: .customLong("keep"), help: "Keep the folder of the started relay with its log, store and key.")
    var keepsRelayFolder = false

    @Option(help: "Number of users, instead of the scenario's.") var users: Int?
    @Option(help: "Devices of each user.") var devices: Int?
    @Option(help: "Seconds of measured load.") var seconds: Double?
    @Option(help: "Seconds of load before the measurement begins.") var warmup: Double?
    @Option(help: "Seed of all random choices.") var seed: UInt64?
    @Option(
        name: .customLong("back-off"),
        help: ArgumentHelp(
            "How cut devices come back: after a random wait that doubles, or at once.", valueName: "jitter|none"))
    var backOff: String?
    @Option(help: "Number of processes that share the load.") var workers = 1
    @Flag(name: .customLong("pin"), help: "Pin the relay to core 0 and the harness to the others.") var isPinned = false
    @Flag(
        name: .customLong("poll"),
        help: "Never sleep. Latencies are some 50 µs more exact, but the harness uses a whole core. One worker only.")
    var polls = false
    @Flag(name: .customLong("short"), help: "Run the same scenario with few users and for a few seconds.") var isShort =
        false
    @Flag(name: .customLong("quiet"), help: "Print only the verdicts.") var isQuiet = false
    @Option(help: "Folder of the scenarios. If not given, $ROOST_SCENARIOS; if that is not set, LoadTests/Scenarios.")
    var scenarios: String?

    func validate() throws {
        if url == nil {
            for (name, isGiven) in [
                ("--ca-file", caFile != nil), ("--key-file", keyFile != nil), ("--pid", pid != nil),
                ("--metrics-token", metricsToken != nil),
            ] where isGiven { throw ValidationError("\(name) is for a running relay; give its --url too") }
        } else {
            if keyFile == nil { throw ValidationError("--url needs --key-file: the relay's signing key") }
            for (name, isGiven) in [
                ("--roost", roost != nil), ("--durability", durability != nil), ("--grace", grace != nil),
                ("--set", !settings.isEmpty), ("--keep", keepsRelayFolder),
            ] where isGiven {
                throw ValidationError("\(name) is for a relay that roost-load starts, not for one at --url")
            }
        }
        if let durability, !["full", "normal", "memory"].contains(durability) {
            throw ValidationError("--durability must be full, normal or memory, not '\(durability)'")
        }
        if let backOff, !["jitter", "none"].contains(backOff) {
            throw ValidationError("--back-off must be jitter or none, not '\(backOff)'")
        }
        if let grace, !(0...300).contains(grace) {
            throw ValidationError("--grace must be 0 to 300 seconds, not \(grace)")
        }
        if let pid, pid < 1 { throw ValidationError("--pid must be a process id, not \(pid)") }
        if let wrong = settings.first(where: { !$0.contains("=") }) {
            throw ValidationError("--set takes key=value, not '\(wrong)'")
        }
        guard RunOptions.workersAllowed.contains(workers) else {
            let range = RunOptions.workersAllowed
            throw ValidationError("--workers must be \(range.lowerBound) to \(range.upperBound), not \(workers)")
        }
        if polls, workers > 1 { throw ValidationError("--poll takes a whole core, so it works with one worker only") }
    }

    var options: RunOptions {
        var options = RunOptions()
        options.url = url
        options.caFile = caFile
        options.keyFile = keyFile
        options.pid = pid
        let variable = ProcessInfo.processInfo.environment["ROOST_METRICS_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        options.metricsToken = url == nil ? nil : metricsToken ?? variable
        options.roost = roost
        options.durability = durability
        if let grace { options.graceSeconds = grace }
        options.settings = settings
        options.keepsRelayFolder = keepsRelayFolder
        options.users = users
        options.devices = devices
        options.seconds = seconds
        options.warmup = warmup
        options.seed = seed
        options.backoff = backOff.map { $0 == "jitter" }
        options.workers = workers
        options.isPinned = isPinned
        options.polls = polls
        options.isShort = isShort
        return options
    }

    /// Returns the named scenarios as these options change them, before the first one runs, so that a mistake is found
    /// at once.
    func prepared(_ names: [String], _ options: RunOptions) throws -> [Scenario] {
        // A file needs no library, so it doesn't matter if there is none.
        let library = try? ScenarioLibrary.find(option: scenarios)
        return try names.map { name in
            let source = try library ?? (isFile(name) ? ScenarioLibrary(folder: ".") : .find(option: scenarios))
            return try options.applied(to: source.scenario(name))
        }
    }

    private func isFile(_ name: String) -> Bool { name.contains("/") || name.hasSuffix(".yaml") }

    /// Runs a scenario with its live display. The caller prints the outcome.
    func run(_ scenario: Scenario, _ options: RunOptions) -> Report {
        guard !isQuiet else { return Runner(scenario, options).run() }
        return Runner(scenario, options, show: SharedDisplay().show).run()
    }
}
