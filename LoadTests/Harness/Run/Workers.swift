import Glibc

/// Shares the load of one run among processes, because an engine has only one thread. It starts them, waits for them,
/// and adds up their measurements. If one fails or hangs, the run fails. It blocks the calling thread for a bounded
/// time. All processes have ended when `run` returns.
struct Workers {
    /// Sessions a second that every relay and machine can open, for estimating the length of the set-up.
    static let sessionsPerSecond = 400.0
    /// Time for starting processes and creating tokens.
    static let startSeconds = 4.0
    /// Time from the planned end of the load to the last result: checks and writing files.
    static let slackSeconds = 60.0
    /// Longest time for a worker to end when it is ordered to.
    static let stopSeconds = 2.0

    let scenario: Scenario
    let options: RunOptions
    let target: Runner.Target
    let sampler: CostSampler
    let restarter: Restarter?
    /// The program and its arguments before the path of the order; nil for this program.
    var program: [String]?
    /// Time from the start until the last result must be there.
    var patience: Double

    init(
        _ scenario: Scenario, _ options: RunOptions, target: Runner.Target, sampler: CostSampler,
        restarter: Restarter? = nil
    ) {
        self.scenario = scenario
        self.options = options
        self.target = target
        self.sampler = sampler
        self.restarter = restarter
        patience = 0
        patience = setUpSeconds + scenario.warmup + scenario.seconds + 2 * scenario.settle + Self.slackSeconds
    }

    struct Worker {
        var process: ChildProcess
        var result: String
        var log: String
    }

    func run() throws(RunFailure) -> RunResult {
        let count = scenario.processes(asked: options.workers)
        guard (2...HarnessLimits.workersMax).contains(count) else {
            throw RunFailure("\(count) workers; at most \(HarnessLimits.workersMax) are allowed")
        }
        let folder = try PrivateFolder.make()
        defer { PrivateFolder.remove(folder) }
        let startAt = Deadline(seconds: setUpSeconds).at
        var workers: [Worker] = []
        defer { end(workers) }
        for index in 0..<count { workers.append(try start(index, of: count, folder, startAt)) }
        try wait(for: workers, startAt)
        var sum: RunResult?
        for worker in workers {
            let result: RunResult = try WorkerOrder.read(worker.result)
            if sum == nil { sum = result } else { sum?.merge(result) }
        }
        guard let sum else { throw RunFailure("no worker measured anything") }
        return sum
    }

    /// Time for the set-up. All workers begin together after it.
    var setUpSeconds: Double {
        let sessions = Double((scenario.users + scenario.outsiders) * scenario.devices)
        let rate = scenario.connectRate > 0 ? min(scenario.connectRate, Self.sessionsPerSecond) : Self.sessionsPerSecond
        let conversations = scenario.conversations.rooms.reduce(scenario.conversations.pairs) { $0 + $1.count }
        let steps = Double(conversations + (scenario.watch > 0 ? scenario.users : 0))
        return Self.startSeconds + sessions / rate + steps / Self.sessionsPerSecond
    }

    private func start(
        _ index: Int, of count: Int, _ folder: String, _ startAt: UInt64
    ) throws(RunFailure) -> Worker {
        let result = "\(folder)/result-\(index).json"
        let order = WorkerOrder(
            scenario: try scenario.share(index: index, of: count), url: target.url, caFile: target.caFile,
            keyFile: target.keyFile,
            startAt: startAt, result: result, parent: getpid())
        let file = "\(folder)/order-\(index).json"
        try WorkerOrder.write(order, to: file)
        let words = if let program { program } else { [try Programs.own(), "worker"] }
        let log = "\(folder)/worker-\(index).log"
        let process = try ChildProcess.start(
            Pinning.command(words + [file], core: options.isPinned ? core(of: index) : nil),
            environment: ChildProcess.environment(), output: log)
        return Worker(process: process, result: result, log: log)
    }

    // Core 0 belongs to the relay.
    private func core(of index: Int) -> Int { 1 + index % max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) - 1) }

    // MARK: Waiting

    private func wait(for workers: [Worker], _ startAt: UInt64) throws(RunFailure) {
        var marks = Marks(startAt: startAt, scenario, sampler, restarter)
        var wasAsked = false
        var failure: RunFailure?
        let hasEnded = Deadline(seconds: patience).poll {
            marks.pass(Deadline.now)
            if Interruption.isRequested, !wasAsked {
                wasAsked = true
                for worker in workers { worker.process.send(signal: SIGINT) }
            }
            let running = workers.filter(\.process.isRunning)
            for (index, worker) in workers.enumerated() where failure == nil {
                guard let end = worker.process.end, end != .exited(0) else { continue }
                let words = LogTail.lines(of: worker.log, count: 5)
                failure = RunFailure("worker \(index) failed with \(end); its last output was: \(words)")
            }
            return failure != nil || running.isEmpty
        }
        marks.end(Deadline.now)
        if let failure { throw failure }
        guard !hasEnded else { return }
        let hanging = workers.indices.filter { workers[$0].process.isRunning }
        let words = hanging.first.map { LogTail.lines(of: workers[$0].log, count: 5) } ?? ""
        throw RunFailure(
            "workers \(hanging.map(String.init).joined(separator: ", ")) did not end in time; "
                + "the last output of one was: \(words)"
        )
    }

    private func end(_ workers: [Worker]) {
        for worker in workers { worker.process.send(signal: SIGTERM) }
        for worker in workers { worker.process.stop(seconds: Self.stopSeconds) }
    }

    /// Marks for the sampler what the workers do at the moment, by their common clock.
    private struct Marks {
        private let times: [UInt64]
        private let sampler: CostSampler
        private let restarter: Restarter?
        private var passed = 0

        init(startAt: UInt64, _ scenario: Scenario, _ sampler: CostSampler, _ restarter: Restarter?) {
            let measured = startAt &+ UInt64(scenario.warmup * 1_000_000_000)
            times = [startAt, measured, measured &+ UInt64(scenario.seconds * 1_000_000_000)]
            self.sampler = sampler
            self.restarter = restarter
        }

        mutating func pass(_ now: UInt64) {
            while passed < times.count, now >= times[passed] { mark(now) }
        }

        /// An interrupted load has ended too.
        mutating func end(_ now: UInt64) { if passed == 2 { mark(now) } }

        private mutating func mark(_ now: UInt64) {
            switch passed {
            case 0: sampler.loadBegan()
            case 1:
                restarter?.begin(at: times[1])
                sampler.measuredBegan(at: now)
            default: sampler.measuredEnded(at: now)
            }
            passed += 1
        }
    }
}
