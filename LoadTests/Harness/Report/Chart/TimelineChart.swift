/// Deliveries a second as an area, their p50 and p99 as lines with an axis of their own, and what the scenario did in
/// between. Pure.
struct TimelineChart {
    private let report: Report
    private let steps: [TimelineStep]
    private let area = ChartArea(size: .large, hasRightAxis: true)
    private let time: Axis
    private let rates: Axis
    private let latencies: Axis?

    // More labels than these would lie over each other.
    private static let labelsMax = 12

    /// nil: there is nothing to draw.
    init?(_ report: Report) {
        steps = TimelineStep.steps(of: report.result.timeline)
        guard let first = steps.first, let last = steps.last, steps.count > 1 else { return nil }
        self.report = report
        time = .time(from: Double(first.first), to: Double(last.first + last.seconds))
        rates = .linear(to: steps.map(\.deliveredPerSecond).max() ?? 0)
        let measured = steps.compactMap(\.p50) + steps.compactMap(\.p99)
        latencies =
            measured.isEmpty
            ? nil : .logarithmic(from: Double(max(measured.min() ?? 1, 1)), to: Double(measured.max() ?? 1))
    }

    var stepText: String { steps[0].seconds == 1 ? "each second" : "each \(Readable.clock(Double(steps[0].seconds)))" }

    func svg(id: String) -> Markup {
        var content = area.shade(time, from: time.low, to: 0, text: "warm-up")
        let end = report.result.seconds
        if end < time.high - 0.5 { content += area.shade(time, from: end, to: time.high, text: "settling") }
        content += area.leftAxis(rates, title: "per second", text: Readable.short)
        content += area.timeAxis(time)
        let delivered = ChartPath(points: steps.map { point($0, rates, $0.deliveredPerSecond) })
        content += "<path class=\"area rate\" d=\"\(delivered.area(base: area.bottom))\"/>"
        content += "<path class=\"line rate\" d=\"\(delivered.line)\"/>\n"
        content += marks
        if let latencies {
            content += area.rightAxis(latencies, title: "latency", text: Readable.shortSpan)
            let p50 = ChartPath(points: steps.map { step in step.p50.flatMap { point(step, latencies, Double($0)) } })
            let p99 = ChartPath(points: steps.map { step in step.p99.flatMap { point(step, latencies, Double($0)) } })
            content += "<path class=\"line p50\" d=\"\(p50.line)\"/>\n<path class=\"line p99\" d=\"\(p99.line)\"/>\n"
        }
        content += tips
        return area.svg(
            id: id, title: "Deliveries a second and their latency over time", description: words, content: content)
    }

    private func point(_ step: TimelineStep, _ axis: Axis, _ value: Double) -> ChartPath.Point? {
        (area.x(time.share(step.middle)), area.y(axis.share(value)))
    }

    private var marks: Markup {
        let events = report.result.disturbances.flatMap { each -> [(Double, String)] in
            let span = report.recoverySeconds(of: each).map { ", \(Readable.trimmed($0)) s" } ?? ", no recovery"
            return each.end > each.at
                ? [(each.at, each.kind.rawValue), (each.end, "its end\(span)")] : [(each.at, each.kind.rawValue + span)]
        }
        var markup: Markup = ""
        for (at, text) in events where at >= time.low && at <= time.high {
            let place = area.x(time.share(at))
            let isLate = place > area.right - 110
            markup += "<line class=\"event\" x1=\"\(place)\" y1=\"\(area.top)\" x2=\"\(place)\" y2=\"\(area.bottom)\"/>"
            guard events.count <= Self.labelsMax else { continue }
            markup += """
                <text class="mark" x="\(place + (isLate ? -5 : 5))" y="\(area.top - 8)" \
                text-anchor="\(isLate ? "end" : "start")">\(text)</text>

                """
        }
        return markup
    }

    // What the pointer shows over a step.
    private var tips: Markup {
        var markup: Markup = "<g class=\"tips\">\n"
        for step in steps {
            let begin = area.x(time.share(Double(step.first)))
            let end = area.x(time.share(Double(step.first + step.seconds)))
            let latency = step.p99.map {
                ", p50 \(Readable.span(Double(step.p50 ?? 0))), p99 \(Readable.span(Double($0)))"
            }
            markup += """
                <rect x="\(begin)" y="\(area.top)" width="\(end - begin)" height="\(area.bottom - area.top)">\
                <title>\(Readable.clock(Double(step.first))): \(Readable.fixed(step.deliveredPerSecond, 0)) delivered/s\
                \(latency ?? ""), \(Readable.count(step.sessions)) sessions</title></rect>

                """
        }
        markup += "</g>\n"
        return markup
    }

    private var words: String {
        let measured = steps.filter { $0.first >= 0 && $0.middle <= report.result.seconds }
        let most = measured.map(\.deliveredPerSecond).max() ?? 0
        let least = measured.map(\.deliveredPerSecond).min() ?? 0
        let worst = measured.compactMap(\.p99).max().map { "the highest p99 was \(Readable.span(Double($0)))" }
        return "Between \(Readable.fixed(least, 0)) and \(Readable.fixed(most, 0)) deliveries a second; "
            + (worst ?? "no latency was measured") + "."
    }
}
