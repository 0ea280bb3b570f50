import Foundation
import RoostConfiguration

/// The highest rate that a relay holds a scenario's thresholds at, how it was found, and what it is like at half of it,
/// where a relay should be run. A value.
public struct Knee: Codable, Sendable {
    /// One short run.
    public struct Step: Codable, Sendable, Equatable {
        /// Messages a second that were asked for.
        public var rate: Double
        /// The outcome of the step.
        public var outcome: KneeSearch.Outcome
        /// Corrected, ms; nil: nothing was delivered.
        public var deliveryP50: Double?
        /// Delivery time, like `deliveryP50`.
        public var deliveryP99: Double?
        /// Over the measured load.
        public var deliveriesPerSecond: Double?
        /// Share of one core over the measured load; nil: it couldn't be read.
        public var relayCores: Double?
        /// The same of the harness, of its busiest process.
        public var harnessCores: Double
        /// Why it didn't hold.
        public var reason: String?
    }

    /// The scenario's name.
    public var scenario: String
    /// ISO 8601, UTC.
    public var started: String
    /// In order, without the one at half of the knee.
    public var steps: [Step] = []
    /// Messages a second; nil: no rate held.
    public var rate: Double?
    /// nil: every rate that was tried held.
    public var limit: KneeSearch.Limit?
    /// At half of `rate`.
    public var half: Step?
    /// Whether the search was cut short.
    public var wasInterrupted = false

    /// The exit code's meaning: `invalid` if the harness ended first, `broken` if no rate held.
    public var verdict: Report.Verdict {
        if wasInterrupted || limit?.why == .invalid { return .invalid }
        return rate == nil ? .broken : .held
    }

    /// Writes it as JSON.
    public func write(to path: String) throws { try ReportFile.write(try ReportFile.encode(self), to: path) }

    /// Table and conclusion, ended by a line feed.
    public func text(width: Int, colour: Bool) -> String {
        var table = TextTable(columns: 7)
        table.add(["rate/s", "outcome", "p50 ms", "p99 ms", "deliveries/s", "relay cores", "harness cores"])
        for step in steps { table.add(Self.cells(step)) }
        if let half { table.add(Self.cells(half)) }
        var lines = table.lines(width: width)
        if let first = lines.first { lines[0] = TerminalStyle(isColoured: colour).paint(first, .bold) }
        lines += conclusion.flatMap { TextTable.wrapped($0, width: width) }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func cells(_ step: Step) -> [String] {
        let figure = { (value: Double?) in value.map(Readable.significant) ?? "-" }
        return [
            Readable.figure(step.rate), step.outcome.rawValue, figure(step.deliveryP50), figure(step.deliveryP99),
            step.deliveriesPerSecond.map { Readable.fixed($0, 0) } ?? "-", figure(step.relayCores),
            figure(step.harnessCores),
        ]
    }

    var conclusion: [String] {
        var lines: [String] = []
        if let rate {
            lines.append("The knee of \(scenario) is at \(Readable.figure(rate.rounded())) messages a second.")
        }
        if rate == nil { lines.append("No rate held.") }
        switch limit?.why {
        case .invalid:
            lines.append("The harness was the limit, not the relay: the knee may be higher. More workers help.")
        case .broken: lines += steps.last { $0.outcome == .broken }?.reason.map { ["Above it: \($0)"] } ?? []
        case .held, nil: lines.append("It held at every rate tried.")
        }
        if let half {
            let p50 = half.deliveryP50.map(Readable.significant) ?? "-"
            let p99 = half.deliveryP99.map(Readable.significant) ?? "-"
            lines.append(
                "At half of that rate, \(Readable.figure(half.rate.rounded())) a second, deliveries take "
                    + "\(p50) ms at p50 and \(p99) ms at p99.")
        }
        if wasInterrupted { lines.append("The search was interrupted.") }
        return lines
    }
}

extension Knee.Step {
    /// The result of one run at a rate.
    init(_ report: Report, rate: Double) {
        self.rate = rate
        outcome =
            switch report.verdict {
            case .held: .held
            case .broken: .broken
            case .failed, .invalid: .invalid
            }
        deliveryP50 = report.figure(named: "delivery_p50_ms")
        deliveryP99 = report.figure(named: "delivery_p99_ms")
        deliveriesPerSecond = report.figure(named: "deliveries_per_second")
        let seconds = report.result.seconds
        relayCores = seconds > 0 ? report.cost.map { $0.cpuSeconds / seconds } : nil
        harnessCores = report.result.health.cpuShare
        reason = report.reasons.first
    }
}

/// Runs the search: one short run at each rate, each with a fresh relay unless it is given a running one. It blocks the
/// calling thread; the search bounds the number of runs.
public struct KneeRun {
    let scenario: Scenario
    let options: RunOptions
    let runStep: (Scenario, RunOptions) -> Report

    /// `scenario` as the options change it, but for the rate.
    public init(_ scenario: Scenario, _ options: RunOptions, runStep: @escaping (Scenario, RunOptions) -> Report) {
        self.scenario = scenario
        self.options = options
        self.runStep = runStep
    }

    /// Searches, and reports each step.
    ///
    /// - Returns: what was found, and the report of the run at half of it.
    /// - Throws: `RunFailure` if a run could not be run.
    public func run(
        _ search: KneeSearch, tell: (Knee.Step) -> Void
    ) throws(RunFailure) -> (knee: Knee, half: Report?) {
        var search = search
        var knee = Knee(scenario: scenario.name, started: Date().formatted(.iso8601))
        while let rate = search.next {
            let report = try self.report(at: rate)
            guard !report.result.wasInterrupted else {
                knee.wasInterrupted = true
                break
            }
            let step = Knee.Step(report, rate: rate)
            knee.steps.append(step)
            tell(step)
            search.note(step.outcome)
        }
        knee.rate = search.knee
        knee.limit = search.limit
        guard let rate = search.knee, !knee.wasInterrupted else { return (knee, nil) }
        let half = try report(at: rate / 2)
        knee.half = Knee.Step(half, rate: rate / 2)
        return (knee, half)
    }

    private func report(at rate: Double) throws(RunFailure) -> Report {
        var options = options
        options.rate = rate
        let changed: Scenario
        do throws(ConfigurationFailure) { changed = try scenario.override(rate: rate) } catch {
            throw RunFailure(error.description)
        }
        let report = runStep(changed, options)
        guard report.verdict != .failed else { throw RunFailure(report.reasons.first ?? "a run failed") }
        return report
    }
}
