/// What happened when: the load, and what it cost the relay.
extension ReportSection {
    var timeline: Markup {
        guard let chart = TimelineChart(report) else { return "" }
        return """
            <section class="panel">
            \(heading("Over time"))<figure>
            <figcaption><strong>Deliveries and their latency</strong> <span>\(chart.stepText)</span></figcaption>
            <p class="legend"><span class="key rate">delivered/s</span> <span class="key p50">p50</span> \
            <span class="key p99">p99</span></p>
            \(chart.svg(id: "\(id)-timeline"))</figure>
            </section>

            """
    }

    var cost: Markup {
        guard let cost = report.cost else { return "" }
        var figure: Markup = ""
        if let chart = CostChart(report) {
            figure = """
                <figure>
                <figcaption><strong>CPU and memory</strong> <span>of the relay's process</span></figcaption>
                <p class="legend"><span class="key cpu">cores</span> <span class="key rss">resident memory</span></p>
                \(chart.svg(id: "\(id)-cost"))</figure>

                """
        }
        let rows: [Markup] = [
            ("CPU over the measured load", "\(Readable.significant(cost.cpuSeconds)) s"),
            ("Memory before the first connection", Readable.memory(Double(cost.rssBefore))),
            ("Memory with all sessions, idle", Readable.memory(Double(cost.rssConnected))),
            ("Memory at its most", Readable.memory(Double(cost.rssPeak))),
            ("Memory at the end", Readable.memory(Double(cost.rssEnd))),
            ("Descriptors at most", Readable.fixed(Double(cost.descriptorsPeak), 0)),
        ].map { "<tr><th scope=\"row\">\($0.0)</th><td>\($0.1)</td></tr>\n" }
        return """
            <section class="panel">
            \(heading("Cost of the relay"))\(figure)<div class="scroll"><table class="narrow">
            <tbody>
            \(rows)</tbody>
            </table></div>
            \(counters(of: cost))</section>

            """
    }

    // There can be a hundred: folded on the screen, and open on paper by the style.
    private func counters(of cost: Report.Cost) -> Markup {
        guard !cost.metrics.isEmpty else { return "" }
        let rows: [Markup] = cost.metrics.sorted { $0.key < $1.key }.map {
            "<tr><th scope=\"row\"><code>\($0.key)</code></th><td>\(Readable.figure($0.value))</td></tr>\n"
        }
        return """
            <details>
            <summary>The relay's own counters (\(cost.metrics.count))</summary>
            <div class="scroll"><table class="narrow">
            <caption>Change over the measured load; gauges at its end.</caption>
            <thead><tr><th scope="col">Metric</th><th scope="col">Value</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table></div>
            </details>

            """
    }
}
