import Foundation

/// Latency over percentiles as HdrHistogram draws it: each step to the right is a tenth of the events, so that the
/// tail, which people feel, is as wide as the rest. Pure.
struct PercentileChart {
    let kind: LatencyKind
    let corrected: Distribution
    let uncorrected: Distribution?
    /// Bounds of the scenario; those on this kind are drawn.
    let bounds: [Threshold]
    let size: ChartArea.Size

    private static let named: [(percent: Double, text: String)] = [
        (0, "0 %"), (50, "50 %"), (90, "90 %"), (99, "99 %"), (99.9, "99.9 %"), (99.99, "99.99 %"),
        (99.999, "99.999 %"),
        (99.9999, "99.9999 %"),
    ]

    func svg(id: String) -> Markup {
        let area = ChartArea(size: size, hasRightAxis: false)
        let all = [corrected] + [uncorrected].compactMap { $0 }
        let low = all.map(\.min).filter { $0 > 0 }.min() ?? 1
        let high = max(all.map(\.max).max() ?? 1, UInt64(max(0, bound(of: nil) ?? 0) * 1e6))
        let axis = Axis.logarithmic(from: Double(max(low, 1_000)), to: Double(high))
        var content = area.leftAxis(axis, title: "latency", text: Readable.shortSpan)
        // The small one has no room for 50 %, which is close to 0 %.
        let ticks = Self.named.filter { Self.reach($0.percent) <= reach && (size.width > 600 || $0.percent != 50) }
        content += area.bottomAxis(ticks.map { (Self.reach($0.percent) / reach, $0.text) }, hasLines: true)
        if let uncorrected, uncorrected.total > 0, uncorrected != corrected {
            content += "<path class=\"line uncorrected\" d=\"\(line(of: uncorrected, area, axis).line)\"/>\n"
        }
        content += "<path class=\"line corrected\" d=\"\(line(of: corrected, area, axis).line)\"/>\n"
        content += boundMarks(area, axis)
        content += dots(area, axis)
        return area.svg(id: id, title: "\(kind.title) latency by percentile", description: words, content: content)
    }

    // Decades to the right edge: as far as the events reach, two at least.
    private var reach: Double { max(2, log10(Double(max(corrected.total, 1)))) }

    private static func reach(_ percent: Double) -> Double { -log10(1 - percent / 100) }

    // A flight of steps: a value holds from the share before it to the share with it.
    private func line(of measured: Distribution, _ area: ChartArea, _ axis: Axis) -> ChartPath {
        // Adding it up takes as long as the loop below.
        let count = measured.total
        let total = Double(count)
        let reach = reach
        var points: [ChartPath.Point] = []
        var passed: UInt64 = 0
        for (value, times) in zip(measured.values, measured.counts) where times > 0 {
            let begin = min(reach, -log10(1 - Double(passed) / total))
            passed += times
            let end = passed == count ? reach : min(reach, -log10(1 - Double(passed) / total))
            let height = area.y(axis.share(Double(value)))
            let first = (x: area.x(begin / reach), y: height)
            let last = (x: area.x(end / reach), y: height)
            // Less than half a pixel is not seen, and thousands of them make a large file.
            if let before = points.last, last.x - before.x < 0.5, before.y - height < 0.5 { continue }
            points.append(first)
            points.append(last)
        }
        return ChartPath(points: points)
    }

    private func dots(_ area: ChartArea, _ axis: Axis) -> Markup {
        var markup: Markup = ""
        for percent in [50.0, 90, 99, 99.9, 99.99] where Self.reach(percent) <= reach - 0.05 {
            let value = corrected.percentile(percent)
            let place = (x: area.x(Self.reach(percent) / reach), y: area.y(axis.share(Double(value))))
            // Beside the left edge the words would lie on the axis's, so they go below the curve.
            let isLeft = place.x - area.left < 66
            markup += """
                <circle class="dot" cx="\(place.x)" cy="\(place.y)" r="3.5"/>\
                <text class="value" x="\(isLeft ? place.x + 8 : place.x - 7)" \
                y="\(isLeft ? place.y + 16 : max(place.y - 8, area.top + 10))" \
                text-anchor="\(isLeft ? "start" : "end")">\
                \(Readable.span(Double(value)))</text>

                """
        }
        return markup
    }

    // A bound on a percentile is a bar over all that it speaks of.
    private func boundMarks(_ area: ChartArea, _ axis: Axis) -> Markup {
        var markup: Markup = ""
        for percentile in Figure.percentiles {
            guard let milliseconds = bound(of: percentile.name), Self.reach(percentile.percent) <= reach else {
                continue
            }
            let end = area.x(Self.reach(percentile.percent) / reach)
            let height = area.y(axis.share(milliseconds * 1e6))
            // On a short bar the words would run into the curve; right behind it is the value of its dot.
            let isShort = end - area.left < 160
            let name = percentile.name == "p999" ? "p99.9" : percentile.name == "p9999" ? "p99.99" : percentile.name
            markup += """
                <path class="bound" d="M\(area.left) \(height)H\(end)v-5v10"/>\
                <text class="mark" x="\(isShort ? end + 76 : area.left + 8)" y="\(isShort ? height + 4 : height - 6)">\
                \(name) at most \(Readable.shortSpan(milliseconds * 1e6))</text>

                """
        }
        return markup
    }

    // In milliseconds; nil asks for the largest of all.
    private func bound(of level: String?) -> Double? {
        let names = (level.map { [$0] } ?? Figure.percentiles.map(\.name)).flatMap { name in
            ["\(kind.rawValue)_\(name)_ms"] + (kind == .delivery ? ["\(name)_ms"] : [])
        }
        return bounds.filter { names.contains($0.figure) && $0.bound > 0 && $0.bound < 1e9 }.map(\.bound).max()
    }

    private var words: String {
        let values = Figure.percentiles.map {
            "\($0.percent) %: \(Readable.span(Double(corrected.percentile($0.percent))))"
        }
        return "From due, of \(Readable.count(corrected.total)): \(values.joined(separator: "; ")); "
            + "longest: \(Readable.span(Double(corrected.max)))."
    }
}
