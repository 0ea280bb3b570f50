import ArgumentParser
import Foundation
import RoostLoad

/// The options of every command that runs scenarios.
struct RunFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp("A running relay; without it one is started for each run.", valueName: "ws://…/v1/socket"))
    var url: String?
    @Option(help: "The running relay's signing key, which makes the users' tokens.") var keyFile: String?
    @Option(help: "The running relay's process, to measure what it uses.") var pid: Int32?
    @Option(help: "What the running relay's /metrics asks for; better in ROOST_METRICS_TOKEN.") var metricsToken:
        String?

    @Option(help: "The relay's program, else $ROOST_BINARY, else the one beside this.") var roost: String?
    @Option(help: "What the started relay's acks survive: full, normal or memory.") var durability: String?
    @Option(help: ArgumentHelp("The started relay's presence.grace_seconds; 2 if not given.", valueName: "seconds"))
    var grace: Int?
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("A key of the started relay; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    @Flag(name: .customLong("keep"), help: "Keep the started relay's folder: its log, store and key.")
    var keepsRelayFolder = false

    @Option(help: "Users, instead of the scenario's.") var users: Int?
    @Option(help: "Devices of each.") var devices: Int?
    @Option(help: "Seconds of measured load.") var seconds: Double?
    @Option(help: "Seconds of load before.") var warmup: Double?
    @Option(help: "What all that is left to chance follows from.") var seed: UInt64?
    @Option(help: "Processes that share the load.") var workers = 1
    @Flag(name: .customLong("pin"), help: "Relay on core 0, harness on the others.") var isPinned = false
    @Flag(name: .customLong("poll"), help: "Never sleep: some 50 µs more exact, for a whole core. One worker.")
    var polls = false
    @Flag(name: .customLong("short"), help: "A few users and seconds of the same structure.") var isShort = false
    @Flag(name: .customLong("quiet"), help: "Only verdicts.") var isQuiet = false
    @Option(help: "The folder of scenarios, else $ROOST_SCENARIOS, else LoadTests/Scenarios.") var scenarios: String?

    func validate() throws {
        if url == nil {
            for (name, isGiven) in [
                ("--key-file", keyFile != nil), ("--pid", pid != nil), ("--metrics-token", metricsToken != nil),
            ] where isGiven { throw ValidationError("\(name) is about a running relay; give its --url too") }
        } else {
            if keyFile == nil { throw ValidationError("--url needs --key-file: the relay's signing key") }
            for (name, isGiven) in [
                ("--roost", roost != nil), ("--durability", durability != nil), ("--grace", grace != nil),
                ("--set", !settings.isEmpty), ("--keep", keepsRelayFolder),
            ] where isGiven { throw ValidationError("\(name) is about a relay that is started, not one at --url") }
        }
        if let durability, !["full", "normal", "memory"].contains(durability) {
            throw ValidationError("--durability is full, normal or memory, not '\(durability)'")
        }
        if let grace, !(0...300).contains(grace) { throw ValidationError("--grace is 0 to 300 seconds, not \(grace)") }
        if let pid, pid < 1 { throw ValidationError("--pid is a process, not \(pid)") }
        if let wrong = settings.first(where: { !$0.contains("=") }) {
            throw ValidationError("--set takes key=value, not '\(wrong)'")
        }
        guard RunOptions.workersAllowed.contains(workers) else {
            let range = RunOptions.workersAllowed
            throw ValidationError("--workers is \(range.lowerBound) to \(range.upperBound), not \(workers)")
        }
        if polls, workers > 1 { throw ValidationError("--poll takes a whole core, so it is for one worker") }
    }

    var options: RunOptions {
        var options = RunOptions()
        options.url = url
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
        options.workers = workers
        options.isPinned = isPinned
        options.polls = polls
        options.isShort = isShort
        return options
    }

    /// Those named, as these options change them, before the first is run: a wrong one is found at once.
    func prepared(_ names: [String], _ options: RunOptions) throws -> [Scenario] {
        // Files need no library, so none has to be found for them.
        let library = try? ScenarioLibrary.find(option: scenarios)
        return try names.map { name in
            let source = try library ?? (isFile(name) ? ScenarioLibrary(folder: ".") : .find(option: scenarios))
            return try options.applied(to: source.scenario(name))
        }
    }

    private func isFile(_ name: String) -> Bool { name.contains("/") || name.hasSuffix(".yaml") }

    /// One run with its display. The caller says what came of it.
    func run(_ scenario: Scenario, _ options: RunOptions) -> Report {
        guard !isQuiet else { return Runner(scenario, options).run() }
        let display = SharedDisplay()
        defer { display.finish() }
        return Runner(scenario, options, show: display.show).run()
    }
}
