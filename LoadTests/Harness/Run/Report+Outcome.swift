extension Report {
    /// Judges again by faults alone, without what a loaded machine or a debug build can't keep up with.
    mutating func judgeOnlyCorrectness() {
        var bare = self
        bare.scenario.thresholds = []
        bare.result.health = RunResult.Health()
        // Otherwise messages that were due and not sent would count against the harness.
        bare.result.counts.due = 0
        bare.judge()
        thresholds = []
        verdict = bare.verdict
        reasons = bare.reasons
    }

    /// A relay that ends under load has broken its promises.
    mutating func noteRelayEnd(_ end: String) {
        verdict = .broken
        reasons.insert("The relay ended unexpectedly with \(end)", at: 0)
    }
}

extension Report.Verdict {
    /// The worst verdict of several runs: a known fault outranks a run that wasn't possible, which outranks an invalid
    /// run. `held` if there are no runs.
    public static func worst(of verdicts: [Report.Verdict]) -> Report.Verdict {
        verdicts.max { $0.rank < $1.rank } ?? .held
    }

    private var rank: Int {
        switch self {
        case .held: 0
        case .invalid: 1
        case .failed: 2
        case .broken: 3
        }
    }
}
