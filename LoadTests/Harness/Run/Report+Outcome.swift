extension Report {
    /// Judges anew by faults alone: what a loaded machine or a debug build can't help is left out.
    mutating func judgeOnlyCorrectness() {
        var bare = self
        bare.scenario.thresholds = []
        bare.result.health = RunResult.Health()
        // Or what was due and not sent would count against the harness.
        bare.result.counts.due = 0
        bare.judge()
        thresholds = []
        verdict = bare.verdict
        reasons = bare.reasons
    }

    /// A relay that ends while it is loaded has broken whatever it promised.
    mutating func noteRelayEnd(_ end: String) {
        verdict = .broken
        reasons.insert("The relay ended by itself with \(end)", at: 0)
    }
}

extension Report.Verdict {
    /// Of several runs the worst: what is known to be wrong outranks what could not be found out, and a run that could
    /// not be run outranks one that proves nothing. `held` if there is none.
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
