/// A report as plain text for a terminal or a build log. The verdict and its reasons come last, where people look when
/// the command ends. Pure.
public enum TerminalReport {
    /// Wider lines are hard to read, and logs break them.
    public static let widthMax = 100
    private static let widthMin = 40

    /// The lines of the report. Each ends with a line feed, and none is wider than `width` or `widthMax`.
    public static func text(for report: Report, width: Int, colour: Bool) -> String {
        let page = TerminalPage(
            report: report, width: max(widthMin, min(width, widthMax)), style: TerminalStyle(isColoured: colour))
        return page.lines.map { $0 + "\n" }.joined()
    }
}

/// The lines of one report at one width. A value.
struct TerminalPage {
    let report: Report
    let width: Int
    let style: TerminalStyle

    var lines: [String] {
        let seconds = SecondsTable(report: report)
        let parts = [
            head, latencies, load, seconds.seconds.map(headed) ?? [], seconds.disturbances.map(headed) ?? [], cost,
            faults,
            thresholds, verdict,
        ]
        return Array(parts.filter { !$0.isEmpty }.joined(separator: [""]))
    }

    private var head: [String] {
        let scenario = report.scenario
        var lines = [style.paint(cut(scenario.name), .bold)]
        if !scenario.about.isEmpty { lines += TextTable.wrapped(scenario.about, width: width) }
        var facts = TextTable(sides: [.left, .left])
        facts.add(["Started", report.started])
        facts.add(["Machine", report.machine.text])
        facts.add(["Relay", report.result.relayText])
        facts.add(["Load", scenario.loadText])
        facts.add(["Measured", report.measuredText])
        return lines + facts.lines(width: width)
    }

    private var latencies: [String] {
        var table = TextTable(columns: 8)
        table.add(["Latency, ms", "count", "p50", "p90", "p99", "p99.9", "p99.99", "max"])
        for kind in LatencyKind.allCases {
            guard let measured = report.result.corrected[kind], measured.total > 0 else { continue }
            table.add([kind.title] + cells(of: measured))
            if let raw = report.result.uncorrected[kind], raw.total > 0, raw != measured {
                table.add(["  as sent"] + cells(of: raw))
            }
        }
        guard table.rows.count > 1 else { return [] }
        let note = "Timed from when each event was due; \"as sent\" from when it was sent."
        return headed(table) + [style.paint(cut(note), .dim)]
    }

    private func cells(of measured: Distribution) -> [String] {
        [Readable.count(measured.total)]
            + Figure.percentiles.map { Readable.milliseconds(measured.percentile($0.percent)) }
            + [Readable.milliseconds(measured.max)]
    }

    private var load: [String] {
        let counts = report.result.counts
        var table = TextTable(columns: 3)
        table.add(["Load", "count", "a second"])
        let rows = [
            ("Messages due", counts.due), ("Messages sent", counts.sent), ("Acknowledged", counts.acked),
            ("Delivered", counts.delivered), ("Deliveries that had to come", counts.expected),
        ]
        for (name, count) in rows where counts.due > 0 {
            let seconds = report.result.seconds
            let rate = seconds > 0 ? Readable.fixed(Double(count) / seconds, 0) : ""
            table.add([name, Readable.count(count), rate])
        }
        table.add(["Sessions", Readable.count(counts.sessions)])
        for (name, count) in [
            ("Lost connections", counts.lostConnections), ("Messages caught up", counts.caughtUpMessages),
            ("Missed signals", counts.missedSignals), ("Delayed, because senders were cut off", counts.delayed),
            ("Never sent, because senders were not let in", counts.unsent),
        ] where count > 0 {
            table.add([name, Readable.count(count)])
        }
        for (code, count) in report.result.errors.sorted(by: { $0.key < $1.key }) {
            table.add(["Error \(code)", Readable.count(count)])
        }
        return headed(table)
    }

    private var cost: [String] {
        guard let cost = report.cost else { return [] }
        var table = TextTable(columns: 2)
        table.add(["Cost of the relay", ""])
        table.add(["CPU", "\(Readable.significant(cost.cpuSeconds)) s"])
        if let each = cost.microsecondsPerDelivery {
            table.add(["CPU a delivery", "\(Readable.significant(each)) us"])
        }
        table.add(["Memory idle, with all sessions", Readable.memory(Double(cost.rssConnected))])
        table.add(["Memory at its most", Readable.memory(Double(cost.rssPeak))])
        if let each = cost.bytesPerSession { table.add(["Memory a session", Readable.memory(each / 1_024)]) }
        return headed(table)
    }

    private var faults: [String] {
        let found = Fault.allCases.filter { report.result.faults[$0] > 0 }
        guard !found.isEmpty else { return [cut("Faults: none.")] }
        var lines = [style.paint("Faults", .bold)]
        for fault in found {
            lines += TextTable.wrapped("\(Readable.count(report.result.faults[fault])) × \(fault.title)", width: width)
            for text in report.result.faults.descriptions[fault] ?? [] {
                lines += TextTable.wrapped("  - \(text)", width: width, indent: 4)
            }
        }
        return lines
    }

    private var thresholds: [String] {
        guard !report.thresholds.isEmpty else { return [] }
        var table = TextTable(sides: [.left, .right, .left, .left])
        table.add(["Threshold", "actual", "allowed", ""])
        for judgement in report.thresholds {
            table.add([
                judgement.threshold.figure, judgement.actual.map(Readable.figure) ?? "not measured",
                judgement.threshold.boundText, judgement.holds ? "holds" : "BROKEN",
            ])
        }
        return headed(table)
    }

    private var verdict: [String] {
        let word = report.verdict.word.uppercased()
        var lines = TextTable.wrapped("\(word): \(report.verdict.about)", width: width, indent: 2)
        lines[0] = style.paint(word, .bold, report.verdict.colour) + lines[0].dropFirst(word.count)
        for reason in report.reasons { lines += TextTable.wrapped("- \(reason)", width: width, indent: 2) }
        return lines
    }

    private func headed(_ table: TextTable) -> [String] {
        let lines = table.lines(width: width)
        return lines.prefix(1).map { style.paint($0, .bold) } + lines.dropFirst()
    }

    private func cut(_ text: String) -> String { TextTable.cut(Readable.harmless(text), to: width) }
}
