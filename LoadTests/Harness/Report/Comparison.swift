/// Two reports side by side, figure by figure, and what makes them incomparable. One run of each proves little, so
/// small differences count as equal. Pure.
public struct Comparison: Sendable {
    // A choice, not a measurement: how much two runs of one build differ depends on the machine and the figure.
    static let sameShare = 0.05

    /// One figure in both reports.
    public struct Row: Sendable, Equatable {
        var figure: String
        /// The figure of the first report; nil if not measured.
        var first: Double?
        var second: Double?
        var mark: Mark

        /// second / first; nil if one is missing or the first is 0.
        var ratio: Double? {
            guard let first, let second, first != 0 else { return nil }
            return second / first
        }
    }

    /// How the second figure compares with the first.
    public enum Mark: String, Sendable {
        case better, worse, same
        /// One of them wasn't measured.
        case missing = ""
    }

    let names: [String]
    let rows: [Row]
    let warnings: [String]

    /// Leaves out figures that are 0 in both reports, and the short names of those of deliveries.
    public init(_ first: Report, _ second: Report, names: [String] = ["a", "b"]) {
        self.names = names.count == 2 ? names : ["a", "b"]
        let figures = Figure.all.filter { !Self.isShortName($0.name) }
        rows = figures.compactMap { figure in
            let one = first.figure(named: figure.name)
            let other = second.figure(named: figure.name)
            guard (one ?? 0) != 0 || (other ?? 0) != 0 else { return nil }
            return Row(
                figure: figure.name, first: one, second: other,
                mark: Self.mark(one, other, moreIsBetter: figure.moreIsBetter))
        }
        warnings =
            Self.differences(first, second) + Self.doubts(first, self.names[0]) + Self.doubts(second, self.names[1])
    }

    static func isShortName(_ name: String) -> Bool {
        name.hasSuffix("_ms") && name.filter { $0 == "_" }.count == 1
    }

    static func mark(_ first: Double?, _ second: Double?, moreIsBetter: Bool) -> Mark {
        guard let first, let second else { return .missing }
        guard abs(second - first) > sameShare * abs(first) else { return .same }
        return (second > first) == moreIsBetter ? .better : .worse
    }

    private static func differences(_ first: Report, _ second: Report) -> [String] {
        var texts: [String] = []
        func compare(_ what: String, _ one: String, _ other: String) {
            if one != other { texts.append("\(what) differs: \(one) | \(other)") }
        }
        compare("The scenario", first.scenario.name, second.scenario.name)
        compare("The machine", first.machine.text, second.machine.text)
        compare("The durability", first.result.durability, second.result.durability)
        compare("The payload", payload(of: first), payload(of: second))
        compare("The number of workers", "\(first.workers)", "\(second.workers)")
        // Thresholds judge a run but don't change it.
        var one = first.scenario
        var other = second.scenario
        (one.thresholds, other.thresholds) = ([], [])
        (one.about, other.about) = ("", "")
        if one.name == other.name, one != other {
            texts.append(
                "The scenarios have one name but ask for different things: \(one.loadText) | \(other.loadText)")
        }
        return texts
    }

    private static func doubts(_ report: Report, _ name: String) -> [String] {
        switch report.verdict {
        case .held: []
        case .broken:
            report.result.faults.failures > 0 ? ["\(name) broke the contract; its speed is worth nothing."] : []
        case .failed: ["\(name) could not be run."]
        case .invalid: ["\(name) is invalid; its figures say nothing of the relay."]
        }
    }

    private static func payload(of report: Report) -> String {
        guard let messages = report.scenario.messages else { return "none" }
        let bytes = messages.bytes
        return "\(bytes.lowerBound) to \(bytes.upperBound) bytes, \(messages.mode.rawValue)"
    }
}
