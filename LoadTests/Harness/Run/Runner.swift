import Foundation
import Glibc

/// Runs one scenario and gives its report: starts a relay if there is none, lets the engine or the workers load it, and
/// measures what it uses meanwhile.
///
/// The engine runs on the calling thread, which is blocked until the end. `show` is called once a second on the
/// sampler's thread. Everything that was started has ended when `run` returns, however it ends.
public struct Runner: Sendable {
    let scenario: Scenario
    let options: RunOptions
    let show: @Sendable (LiveFigures) -> Void
    /// Processes that share the load.
    let processes: Int

    /// Creates a runner for a scenario to which the options have been applied.
    public init(
        _ scenario: Scenario, _ options: RunOptions, show: @escaping @Sendable (LiveFigures) -> Void = { _ in }
    ) {
        self.scenario = scenario
        self.options = options
        self.show = show
        processes = scenario.processes(asked: options.workers)
    }

    /// The outcome of a run before it is judged.
    struct Outcome {
        var result: RunResult
        var cost: Report.Cost?
        /// The unexpected end of the started relay, with its last lines.
        var relayEnd: String?
    }

    /// Runs the scenario. If that fails, the report says why, with the verdict `failed`.
    public func run() -> Report {
        let started = Date().formatted(.iso8601)
        let machine = Machine.describe()
        let command = options.command(running: scenario.name)
        do throws(RunFailure) {
            let outcome = try measure()
            var report = Report(
                scenario: scenario, result: outcome.result, cost: outcome.cost, machine: machine, command: command,
                workers: processes, started: started)
            if options.judgesOnlyCorrectness { report.judgeOnlyCorrectness() }
            if let end = outcome.relayEnd { report.noteRelayEnd(end) }
            return report
        } catch {
            return .failed(
                error.description, scenario: scenario, machine: machine, command: command, workers: processes,
                started: started)
        }
    }

    private func measure() throws(RunFailure) -> Outcome {
        try Descriptors.check(sockets: scenario.socketsMax(ofEach: processes))
        if options.polls, processes > 1 {
            throw RunFailure("\(scenario.name) needs two processes, and --poll takes a whole core for each")
        }
        let relay = try startRelay()
        defer { relay?.stop() }
        if options.isPinned { try Pinning.move(to: 1) }
        guard let target = target(relay) else {
            throw RunFailure("for a running relay, its key file must be given too")
        }
        if let pid = target.pid, ProcessProbe(pid: pid) == nil {
            throw RunFailure("there is no process \(pid) to measure")
        }

        guard relay != nil || scenario.restarts.isEmpty else {
            throw RunFailure("a relay at --url can't be restarted; \(scenario.name) needs one that roost-load starts")
        }
        let board = ProgressBoard()
        let sampler = CostSampler(
            pid: target.pid, metrics: MetricsProbe(url: target.url, token: target.metricsToken),
            observe: { [show] sample in show(board.figures(with: sample)) })
        sampler.start()
        defer { sampler.stop() }
        let restarter = relay.map { Restarter($0, scenario.restarts, sampler) }
        // Before the relay is stopped, however this ends.
        defer { restarter?.end() }
        var result: RunResult
        do throws(RunFailure) {
            result =
                processes > 1
                ? try Workers(scenario, options, target: target, sampler: sampler, restarter: restarter).run()
                : try runEngine(target, sampler, board, restarter)
        } catch {
            restarter?.end()
            // Adds the relay's own last words to the error.
            guard let words = relay?.lastWords else { throw error }
            throw RunFailure("\(error.description); the relay ended with \(words)")
        }
        restarter?.end()
        result.countBystanders()
        let cost = sampler.finish(delivered: result.counts.delivered, sessions: result.counts.sessions)
        return Outcome(result: result, cost: cost, relayEnd: restarter?.failure?.description ?? relay?.lastWords)
    }

    // MARK: Relay

    /// The relay that gets the load.
    struct Target: Sendable {
        var url: String
        /// See `EnginePlan.caFile`.
        var caFile: String?
        var keyFile: String
        var pid: Int32?
        var metricsToken: String?
    }

    private func startRelay() throws(RunFailure) -> RelayProcess? {
        guard options.url == nil else { return nil }
        var settings = RelayProcess.Settings(program: try Programs.relay(option: options.roost))
        settings.durability = options.durability
        settings.graceSeconds = options.graceSeconds ?? scenario.grace
        settings.more = options.settings
        settings.keepsFolder = options.keepsRelayFolder
        settings.core = options.isPinned ? 0 : nil
        if !scenario.restarts.isEmpty { settings.port = try RelayPort.free() }
        return try RelayProcess(settings)
    }

    private func target(_ relay: RelayProcess?) -> Target? {
        if let relay { return Target(url: relay.url, keyFile: relay.keyFile, pid: relay.pid) }
        guard let url = options.url, let keyFile = options.keyFile else { return nil }
        return Target(
            url: url, caFile: options.caFile, keyFile: keyFile, pid: options.pid, metricsToken: options.metricsToken)
    }

    // MARK: Engine

    private func runEngine(
        _ target: Target, _ sampler: CostSampler, _ board: ProgressBoard, _ restarter: Restarter?
    ) throws(RunFailure) -> RunResult {
        var plan = try EnginePlan.make(scenario, url: target.url, caFile: target.caFile, keyFile: target.keyFile)
        plan.polls = options.polls
        return try Engine.run(plan, interrupted: { Interruption.isRequested }) { moment in
            switch moment {
            case .warmup: sampler.loadBegan()
            case .measuring:
                let now = Deadline.now
                restarter?.begin(at: now)
                sampler.measuredBegan(at: now)
            case .settling: sampler.measuredEnded(at: Deadline.now)
            default: break
            }
            board.note(moment)
        }
    }
}
