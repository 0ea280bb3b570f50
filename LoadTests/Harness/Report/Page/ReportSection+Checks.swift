/// What the verdict follows from: thresholds, faults, and whether the harness kept up.
extension ReportSection {
    var checks: Markup { "\(thresholds)\(faults)\(health)\(events)" }

    private var thresholds: Markup {
        guard !report.thresholds.isEmpty else { return "" }
        let rows: [Markup] = report.thresholds.map { judgement in
            """
            <tr><th scope="row"><code>\(judgement.threshold.figure)</code></th>\
            <td>\(judgement.actual.map(Readable.figure) ?? "not measured")</td>\
            <td>\(judgement.threshold.boundText)</td>\
            <td class="word">\(mark(judgement.holds, "holds", "broken"))</td></tr>

            """
        }
        return table("Thresholds", ["Figure", "Actual", "Allowed", "Result"], rows)
    }

    private var health: Markup {
        let rows: [Markup] = Validity.checks(of: report.result).map { check in
            """
            <tr><th scope="row">\(check.title)</th><td>\(check.actual)</td><td>\(check.bound)</td>\
            <td class="word">\(mark(check.holds, "fit", "unfit"))</td></tr>

            """
        }
        return table("Did the harness keep up?", ["Rule", "Actual", "Allowed", "Result"], rows)
    }

    private var faults: Markup {
        let found = Fault.allCases.filter { report.result.faults[$0] > 0 }
        guard !found.isEmpty else {
            return """
                <section class="panel">
                \(heading("Faults"))<p>\(mark(true, "None", "")): nothing that was looked at broke the contract.</p>
                </section>

                """
        }
        let rows: [Markup] = found.map { fault in
            let items: [Markup] = (report.result.faults.descriptions[fault] ?? []).map { "<li>\($0)</li>" }
            let list: Markup = items.isEmpty ? "" : "<ul class=\"found\">\(items)</ul>"
            return """
                <tr><th scope="row">\(fault.title)\(list)</th><td>\(Readable.count(report.result.faults[fault]))</td>\
                <td class="word">\(mark(!fault.isFailure, "allowed", "broken"))</td></tr>

                """
        }
        return table("Faults", ["Kind, and the first of them", "Count", "Contract"], rows)
    }

    // What was done, and what the relay refused.
    private var events: Markup {
        let counts = report.result.counts
        var pairs: [(String, UInt64)] = [
            ("Messages due", counts.due), ("Messages sent", counts.sent), ("Messages acknowledged", counts.acked),
            ("Deliveries that had to come", counts.expected), ("Deliveries", counts.delivered),
            ("Signals missed", counts.missedSignals), ("Read receipts", counts.receipts),
            ("Presence changes", counts.presences), ("Typing notices", counts.typings),
            ("Messages caught up", counts.caughtUpMessages), ("Connections made", counts.connects),
            ("Connections ended", counts.disconnects), ("Connections lost", counts.lostConnections),
            ("Frames from the relay", counts.frames),
        ]
        pairs += report.result.errors.sorted { $0.key < $1.key }.map { ("Error “\($0.key)”", $0.value) }
        let rows: [Markup] = pairs.filter { $0.1 > 0 }.map {
            "<tr><th scope=\"row\">\($0.0)</th><td>\(Readable.count($0.1))</td></tr>\n"
        }
        return rows.isEmpty ? "" : table("Events of the measured load", ["Event", "Count"], rows)
    }

    private func table(_ title: String, _ columns: [String], _ rows: [Markup]) -> Markup {
        let heads: [Markup] = columns.enumerated().map { index, column in
            let isWord = index == columns.count - 1 && columns.count > 2
            return "<th scope=\"col\" class=\"\(isWord ? "word" : "")\">\(column)</th>"
        }
        return """
            <section class="panel">
            \(heading(title))<div class="scroll"><table>
            <thead><tr>\(heads)</tr></thead>
            <tbody>
            \(rows)</tbody>
            </table></div>
            </section>

            """
    }

    private func mark(_ isGood: Bool, _ good: String, _ bad: String) -> Markup {
        isGood
            ? "<span class=\"good\"><span aria-hidden=\"true\">✓</span> \(good)</span>"
            : "<span class=\"bad\"><span aria-hidden=\"true\">✗</span> \(bad)</span>"
    }
}
