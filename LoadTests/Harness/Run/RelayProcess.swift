import Glibc

/// A relay that the harness starts for one run: `roost serve` on a free loopback port, with its data in a fresh folder
/// that is removed at the end. It doesn't see the caller's `ROOST_…` variables, so that runs are the same everywhere.
/// Confined to one thread. Starting and stopping block it for a bounded time.
final class RelayProcess {
    struct Settings {
        /// The path of the program.
        var program: String
        /// `full`, `normal` or `memory`; nil for the relay's default.
        var durability: String?
        /// `presence.grace_seconds`.
        var graceSeconds = 2
        /// Further settings, `key=value`, which override all others.
        var more: [String] = []
        var core: Int?
        /// Where it listens; 0: wherever there is room. A relay that is started again needs a port of its own.
        var port: UInt16 = 0
        var keepsFolder = false
        /// Longest time to start. There is no large old log to read, so the relay starts in a fraction of this.
        var startSeconds = 15.0
        /// Longest time to stop. The relay drains for a second and closes its log.
        var stopSeconds = 15.0

        init(program: String) { self.program = program }
    }

    /// Most bytes read from the end of its log.
    static let logBytesMax = 65_536
    /// The number of connections that the descriptors of one process allow.
    static let connections = 19_500

    let folder: String
    let url: String
    private(set) var process: ChildProcess
    private let settings: Settings

    var pid: Int32 { process.pid }
    var keyFile: String { "\(folder)/signing.key" }
    var logFile: String { "\(folder)/relay.log" }
    /// The unexpected end of the process; nil while it runs.
    var end: ChildProcess.End? { process.isRunning ? nil : process.end }

    /// Starts it and waits until it prints its address.
    init(_ settings: Settings) throws(RunFailure) {
        let folder = try PrivateFolder.make()
        let log = "\(folder)/relay.log"
        do throws(RunFailure) {
            let process = try Self.start(settings, folder: folder, log: log)
            url = try Self.awaitAddress(process, log: log, settings)
            self.process = process
        } catch {
            settings.keepsFolder ? PrivateFolder.tellKept(folder) : PrivateFolder.remove(folder)
            throw error
        }
        self.folder = folder
        self.settings = settings
    }

    /// Ends it by this signal, and keeps its folder for `startAgain`.
    func halt(signal number: Int32) { process.stop(signal: number, seconds: settings.stopSeconds) }

    /// Starts it once more, with its port and its store, and waits until it listens.
    func startAgain() throws(RunFailure) {
        process = try Self.start(settings, folder: folder, log: logFile)
        let now = try Self.awaitAddress(process, log: logFile, settings)
        guard now == url else { throw RunFailure("the relay came back on \(now) and not on \(url)") }
    }

    /// Asks it to drain, waits, and removes its folder. A second call does nothing.
    func stop() {
        process.stop(seconds: settings.stopSeconds)
        settings.keepsFolder ? PrivateFolder.tellKept(folder) : PrivateFolder.remove(folder)
    }

    /// The unexpected end of the process, with its last output; nil while it runs.
    var lastWords: String? { end.map { "\($0); its last output was: \(lastLines())" } }

    /// The last lines of its output.
    func lastLines(_ count: Int = 5) -> String { LogTail.lines(of: logFile, count: count) }

    // MARK: Start

    private static func start(_ settings: Settings, folder: String, log: String) throws(RunFailure) -> ChildProcess {
        try ChildProcess.start(
            Pinning.command([settings.program] + arguments(settings, folder: folder), core: settings.core),
            environment: ChildProcess.environment(without: "ROOST_"), output: log)
    }

    static func arguments(_ settings: Settings, folder: String) -> [String] {
        var values = [
            "listen.host=127.0.0.1", "listen.port=\(settings.port)", "store.path=\(folder)/roost.db",
            "auth.key_file=\(folder)/signing.key", "log.level=warning",
            "presence.grace_seconds=\(settings.graceSeconds)",
            // All simulated users connect from one machine, and one session may have to send a whole room's load.
            "limits.connections=\(connections)", "limits.connections_per_address=\(connections)",
            "limits.strangers=\(connections)", "limits.strangers_per_address=\(connections)",
            "limits.commands_per_second=1000000", "limits.introductions_per_hour=1000000",
            "limits.additions_per_hour=10000000", "limits.unanswered_per_user=1000000",
            // At the end of a run a long drain has no use.
            "drain.seconds=1", "drain.spread_seconds=0",
        ]
        if let durability = settings.durability { values.append("store.durability=\(durability)") }
        return ["serve"] + (values + settings.more).flatMap { ["--set", $0] }
    }

    private static func awaitAddress(
        _ process: ChildProcess, log: String, _ settings: Settings
    ) throws(RunFailure) -> String {
        var address: String?
        let deadline = Deadline(seconds: settings.startSeconds)
        let isDecided = deadline.poll {
            address = ProcFile.text(log, bytesMax: logBytesMax).flatMap(Self.address(in:))
            return address != nil || !process.isRunning || Interruption.isRequested
        }
        if let address { return address }
        let words = "its last output was: \(LogTail.lines(of: log, count: 5))"
        if let end = process.end { throw RunFailure("the relay ended with \(end) before it listened; \(words)") }
        process.stop(signal: SIGKILL, seconds: 1)
        if isDecided { throw RunFailure("interrupted while the relay started") }
        throw RunFailure("the relay did not listen within \(Int(settings.startSeconds)) s; \(words)")
    }

    /// Finds the address in `Roost 0.1.0 listens on ws://127.0.0.1:40123/v1/socket`; nil until the whole line is there.
    static func address(in log: String) -> String? {
        for line in log.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ")
            guard words.count >= 5, words[0] == "Roost", words[2] == "listens", words[3] == "on" else { continue }
            if words[4].hasPrefix("ws://") { return String(words[4]) }
        }
        return nil
    }
}
