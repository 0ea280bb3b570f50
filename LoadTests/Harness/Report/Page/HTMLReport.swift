/// Reports as one HTML file that needs nothing else: style and drawings are inside, there is no script, and its own
/// policy forbids the browser to load anything. It is well-formed XML, too. Pure.
public enum HTMLReport {
    /// The page. Several reports get a table of contents, and a section each.
    public static func page(for reports: [Report]) -> String {
        let name = reports.count == 1 ? reports[0].scenario.name : "\(reports.count) runs"
        let sections = reports.enumerated().map { index, report in
            ReportSection(report: report, id: "r\(index + 1)", isAlone: reports.count == 1).markup
        }
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <title>\(name) · Roost load test</title>
            <style>
            \(HTMLStyle.colours)\(HTMLStyle.page)\(HTMLStyle.tables)\(HTMLStyle.charts)\(HTMLStyle.media)</style>
            </head>
            <body>
            <main>
            \(reports.count == 1 ? "" : contents(of: reports))\(sections)
            </main>
            </body>
            </html>

            """
        return page.text
    }

    private static func contents(of reports: [Report]) -> Markup {
        let rows: [Markup] = reports.enumerated().map { index, report in
            """
            <tr><th scope="row"><a href="#r\(index + 1)">\(report.scenario.name)</a></th>\
            <td class="word">\(ReportSection.badge(report.verdict))</td>\(cells(of: report))</tr>

            """
        }
        return """
            <header class="top"><h1>Load test, \(reports.count) runs</h1></header>
            <nav class="panel" aria-label="Contents">
            <div class="scroll"><table>
            <thead><tr><th scope="col">Scenario</th><th scope="col" class="word">Verdict</th>\
            <th scope="col">p50, ms</th><th scope="col">p99, ms</th><th scope="col">p99.9, ms</th>\
            <th scope="col">Deliveries/s</th><th scope="col">CPU µs each</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table></div>
            <p class="note">Latencies are of deliveries, from the moment each message was due.</p>
            </nav>

            """
    }

    private static func cells(of report: Report) -> [Markup] {
        let names = ["p50_ms", "p99_ms", "p999_ms", "deliveries_per_second", "cpu_us_per_delivery"]
        return names.map { name in
            let text = report.figure(named: name).map {
                name.hasSuffix("_second") ? Readable.fixed($0, 0) : Readable.significant($0)
            }
            return "<td>\(text ?? "–")</td>"
        }
    }
}
