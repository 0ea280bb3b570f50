extension Report {
    /// Judges what one run measured.
    ///
    /// - Parameter started: ISO 8601, UTC.
    public init(
        scenario: Scenario, result: RunResult, cost: Cost?, machine: Machine, command: String, workers: Int,
        started: String
    ) {
        self.init(
            scenario: scenario, verdict: .held, started: started, machine: machine, workers: workers, command: command,
            result: result, cost: cost)
        judge()
    }

    /// The report of a run that wasn't possible.
    public static func failed(
        _ reason: String, scenario: Scenario, machine: Machine, command: String, workers: Int, started: String
    ) -> Report {
        Report(
            scenario: scenario, verdict: .failed, reasons: [reason], started: started, machine: machine,
            workers: workers, command: command, result: RunResult())
    }

    /// Sets `thresholds`, `verdict` and `reasons` anew. A run that failed stays failed.
    ///
    /// A fault against the contract breaks a run whatever else: no late harness makes a message arrive twice.
    /// Thresholds are bounds on figures, which a harness that did not keep up makes worthless, so `invalid` wins over
    /// them. A run that was cut short has not been through all of its scenario, so it can break but not hold.
    public mutating func judge() {
        guard verdict != .failed else { return }
        thresholds = scenario.thresholds.map { judgement(of: $0) }
        let faults = faultReasons
        let unfit = Validity.reasons(of: result)
        let cut = result.wasInterrupted ? [cutReason] : []
        let broken = thresholds.filter { !$0.holds }
        // A threshold on a fault adds nothing to the fault itself.
        let others = broken.filter { Fault(rawValue: $0.threshold.figure)?.isFailure != true }
        reasons = faults + unfit + cut + others.map { thresholdReason($0) }

        let hasMeasuredBreak = broken.contains { $0.actual != nil || !result.wasInterrupted }
        if !faults.isEmpty {
            verdict = .broken
        } else if !unfit.isEmpty {
            verdict = .invalid
        } else if hasMeasuredBreak {
            verdict = .broken
        } else {
            verdict = result.wasInterrupted ? .invalid : .held
        }
    }

    private func judgement(of threshold: Threshold) -> Judgement {
        guard let known = Figure.named(threshold.figure), let actual = figure(named: threshold.figure) else {
            return Judgement(threshold: threshold, actual: nil, holds: false)
        }
        let holds = known.moreIsBetter ? actual >= threshold.bound : actual <= threshold.bound
        return Judgement(threshold: threshold, actual: actual, holds: holds)
    }

    private var faultReasons: [String] {
        Fault.allCases.filter { $0.isFailure && result.faults[$0] > 0 }.map { fault in
            let example = result.faults.descriptions[fault]?.first.map { " For example: \($0)" } ?? ""
            return "The contract was broken, \(Readable.count(result.faults[fault])) × \(fault.title).\(example)"
        }
    }

    private var cutReason: String {
        "The run was cut short after \(Readable.clock(result.seconds)) of \(Readable.clock(scenario.seconds)), "
            + "so it cannot have held."
    }

    private func thresholdReason(_ judgement: Judgement) -> String {
        let name = judgement.threshold.figure
        guard let actual = judgement.actual else {
            return Figure.named(name) == nil
                ? "There is no figure named \(name), so its threshold does not hold."
                : "\(name) was not measured, so its threshold does not hold."
        }
        guard actual.isFinite else { return "\(name) has no end, \(judgement.threshold.boundText) was allowed." }
        return "\(name) was \(Readable.figure(actual)), \(judgement.threshold.boundText) was allowed."
    }
}

extension Threshold {
    /// Text such as `at most 200` or `at least 1,000`.
    var boundText: String {
        (Figure.named(figure)?.moreIsBetter == true ? "at least " : "at most ") + Readable.figure(bound)
    }
}

extension Report.Verdict {
    /// The verdict in one word.
    public var word: String {
        switch self {
        case .held: "held"
        case .broken: "broken"
        case .failed: "failed"
        case .invalid: "invalid"
        }
    }

    /// The meaning of the verdict in one sentence.
    public var about: String {
        switch self {
        case .held: "Every threshold and the contract held."
        case .broken: "A threshold or the contract was broken."
        case .failed: "The run could not be run."
        case .invalid: "The run proves nothing about the relay."
        }
    }
}
