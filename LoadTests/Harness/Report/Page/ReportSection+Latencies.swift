/// Latencies: the table, the large curve of the main kind, and small ones of the others.
extension ReportSection {
    var latencies: Markup {
        guard let mainKind else { return "" }
        let others: [Markup] = measuredKinds.dropFirst().map { curve(of: $0, isSmall: true) }
        let small: Markup = others.isEmpty ? "" : "<div class=\"pair\">\n\(others)</div>\n"
        return """
            <section class="panel">
            \(heading("Latency"))\(table)\(curve(of: mainKind, isSmall: false))\(small)</section>

            """
    }

    private var table: Markup {
        let rows: [Markup] = measuredKinds.map { kind in
            let corrected = row(kind.title, of: report.result.corrected[kind], class: "")
            guard isCorrected(kind) else { return corrected }
            return "\(corrected)\(row("as sent", of: report.result.uncorrected[kind], class: "dim"))"
        }
        return """
            <div class="scroll"><table>
            <caption>Milliseconds from the moment each event was due, so that what waits behind a stall counts in \
            full; “as sent” from the moment it was sent.</caption>
            <thead><tr><th scope="col">Kind</th><th scope="col">Count</th><th scope="col">p50</th>\
            <th scope="col">p90</th><th scope="col">p99</th><th scope="col">p99.9</th><th scope="col">p99.99</th>\
            <th scope="col">Max</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table></div>

            """
    }

    // What is begun at once, such as a connection, is the same from both moments.
    private func isCorrected(_ kind: LatencyKind) -> Bool {
        report.result.corrected[kind] != report.result.uncorrected[kind]
    }

    private func row(_ title: String, of measured: Distribution?, class name: String) -> Markup {
        guard let measured, measured.total > 0 else { return "" }
        let cells: [Markup] = Figure.percentiles.map {
            "<td>\(Readable.milliseconds(measured.percentile($0.percent)))</td>"
        }
        return """
            <tr class="\(name)"><th scope="row">\(title)</th><td>\(Readable.count(measured.total))</td>\(cells)\
            <td>\(Readable.milliseconds(measured.max))</td></tr>

            """
    }

    private static let legend: Markup = """
        <p class="legend"><span class="key corrected">from due</span> <span class="key uncorrected">as sent</span></p>

        """

    private func curve(of kind: LatencyKind, isSmall: Bool) -> Markup {
        guard let corrected = report.result.corrected[kind] else { return "" }
        let bounds = report.thresholds.map(\.threshold)
        let chart = PercentileChart(
            kind: kind, corrected: corrected, uncorrected: report.result.uncorrected[kind], bounds: bounds,
            size: isSmall ? .small : .large)
        return """
            <figure>
            <figcaption><strong>\(kind.title) by percentile</strong> <span>\(kind.about)</span></figcaption>
            \(isCorrected(kind) ? Self.legend : "")\
            \(chart.svg(id: "\(id)-\(kind.rawValue)"))</figure>

            """
    }
}
