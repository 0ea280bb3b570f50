/// Conclusions from a report, as `report.json` has them beside the measurements: figures by name and facts in words, so
/// that readers of the file compute nothing again. `LoadTests/report.html` draws from it, and the bench reads it.
struct ReportWords: Encodable {
    let verdict: String
    let meaning: String
    let load: String
    let machine: String
    let measured: String
    /// The figures of `Figure.all` that were measured.
    let figures: [String: Double]
    /// The allowed values of the thresholds, in their order.
    let bounds: [String]
    /// Seconds that each disturbance took to recover from, in their order; nil: it didn't.
    let recoveries: [Double?]
    let kinds: [Kind]
    let faults: [Kept]
    let checks: [Check]

    struct Kind: Encodable {
        let kind: String
        let title: String
        let about: String
    }

    struct Kept: Encodable {
        let fault: String
        let title: String
        let isFailure: Bool
    }

    struct Check: Encodable {
        let title: String
        let actual: String
        let bound: String
        let holds: Bool
    }

    init(_ report: Report) {
        verdict = report.verdict.word
        meaning = report.verdict.about
        load = report.scenario.loadText
        machine = report.machine.text
        measured = report.measuredText
        figures = Dictionary(
            Figure.all.compactMap { figure in report.figure(named: figure.name).map { (figure.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        bounds = report.thresholds.map(\.threshold.boundText)
        recoveries = report.result.disturbances.map { report.recoverySeconds(of: $0) }
        kinds = LatencyKind.allCases.map { Kind(kind: $0.rawValue, title: $0.title, about: $0.about) }
        faults = Fault.allCases.map { Kept(fault: $0.rawValue, title: $0.title, isFailure: $0.isFailure) }
        checks = Validity.checks(of: report.result).map {
            Check(title: $0.title, actual: $0.actual, bound: $0.bound, holds: $0.holds)
        }
    }
}

/// A report as its file has it.
struct StoredReport: Encodable {
    let report: Report

    private enum Key: String, CodingKey { case shown }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(ReportWords(report), forKey: .shown)
    }
}
