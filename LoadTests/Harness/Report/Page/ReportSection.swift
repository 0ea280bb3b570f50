/// One report of the page: what it says first, and the order of its parts. A value.
struct ReportSection {
    let report: Report
    /// Unique in the page; the ids of its parts begin with it.
    let id: String
    /// Whether it is the only one, and so bears the page's heading.
    let isAlone: Bool

    var markup: Markup {
        """
        <article id="\(id)" aria-labelledby="\(id)-name">
        \(header)\(reasons)\(cards)\(latencies)\(timeline)\(cost)\(checks)\(repeatIt)
        </article>

        """
    }

    /// A heading of a part, below the report's own.
    func heading(_ text: String) -> Markup {
        isAlone ? "<h2>\(text)</h2>\n" : "<h3 class=\"h2\">\(text)</h3>\n"
    }

    static func badge(_ verdict: Report.Verdict) -> Markup {
        let sign =
            switch verdict {
            case .held: "✓"
            case .broken: "✗"
            case .failed: "✗"
            case .invalid: "!"
            }
        return "<span class=\"badge \(verdict.word)\"><span aria-hidden=\"true\">\(sign)</span> \(verdict.word)</span>"
    }

    private var header: Markup {
        let name: Markup =
            isAlone
            ? "<h1 id=\"\(id)-name\">\(report.scenario.name)</h1>"
            : "<h2 id=\"\(id)-name\" class=\"h1\">\(report.scenario.name)</h2>"
        let facts = [
            ("Relay", report.result.relay.isEmpty ? "unknown" : report.result.relay),
            ("Durability", report.result.durability.isEmpty ? "unknown" : report.result.durability),
            ("Machine", report.machine.text), ("Load", report.scenario.loadText), ("Measured", report.measuredText),
        ]
        let list: [Markup] = facts.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>\n" }
        return """
            <header class="top">
            <p class="eyebrow">Roost load test · <time datetime="\(report.started)">\(started)</time></p>
            <div class="headline">\(name)\(Self.badge(report.verdict))</div>
            <p class="about">\(report.scenario.about)</p>
            <dl class="facts">
            \(list)</dl>
            </header>

            """
    }

    // `2026-03-01T09:30:00Z` as `2026-03-01 09:30:00 UTC`.
    private var started: String {
        guard report.started.count == 20, report.started.hasSuffix("Z") else { return report.started }
        return "\(report.started.prefix(10)) \(report.started.dropFirst(11).prefix(8)) UTC"
    }

    private var reasons: Markup {
        let items: [Markup] = report.reasons.map { "<li>\($0)</li>\n" }
        let list: Markup = items.isEmpty ? "" : "<ul>\n\(items)</ul>\n"
        return """
            <section class="verdict \(report.verdict.word)" aria-label="Verdict">
            <p><strong>\(report.verdict.about)</strong></p>
            \(list)</section>

            """
    }

    private var repeatIt: Markup {
        """
        <section class="panel">
        \(heading("Repeat this run"))<pre><code>\(report.command)</code></pre>
        </section>

        """
    }
}
