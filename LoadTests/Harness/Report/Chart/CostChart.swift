/// Cores that the relay used and memory that it held, over time. Pure.
struct CostChart {
    private let report: Report
    private let samples: [Report.Cost.Sample]
    private let area = ChartArea(size: .large, hasRightAxis: true)
    private let time: Axis
    private let cores: Axis
    // KiB on paper would be odd numbers.
    private let mebibytes: Axis

    /// nil: there is nothing to draw.
    init?(_ report: Report) {
        let sorted = (report.cost?.samples ?? []).sorted { $0.second < $1.second }
        samples = Self.thinned(sorted)
        guard let first = samples.first, let last = samples.last, samples.count > 1 else { return nil }
        self.report = report
        time = .time(from: Double(first.second), to: Double(last.second + 1))
        cores = .linear(to: samples.map(\.cpu).max() ?? 0)
        mebibytes = .linear(to: Double(samples.map(\.rss).max() ?? 0) / 1_024)
    }

    func svg(id: String) -> Markup {
        var content = area.shade(time, from: time.low, to: 0, text: "warm-up")
        if report.result.seconds < time.high - 0.5 {
            content += area.shade(time, from: report.result.seconds, to: time.high, text: "settling")
        }
        content += area.leftAxis(cores, title: "cores", text: Readable.trimmed)
        content += area.rightAxis(mebibytes, title: "memory") { $0 == 0 ? "0" : "\(Readable.short($0)) MiB" }
        content += area.timeAxis(time)
        let cpu = ChartPath(points: samples.map { point($0, cores, $0.cpu) })
        let rss = ChartPath(points: samples.map { point($0, mebibytes, Double($0.rss) / 1_024) })
        content +=
            "<path class=\"area cpu\" d=\"\(cpu.area(base: area.bottom))\"/>\n"
        content += "<path class=\"line cpu\" d=\"\(cpu.line)\"/>\n"
        content += "<path class=\"line rss\" d=\"\(rss.line)\"/>\n"
        content += tips
        return area.svg(id: id, title: "The relay's CPU and memory over time", description: words, content: content)
    }

    private func point(_ sample: Report.Cost.Sample, _ axis: Axis, _ value: Double) -> ChartPath.Point? {
        (area.x(time.share(Double(sample.second) + 0.5)), area.y(axis.share(value)))
    }

    private var tips: Markup {
        let end = { (index: Int) in
            index + 1 < samples.count ? Double(samples[index + 1].second) : Double(samples[index].second + 1)
        }
        var markup: Markup = "<g class=\"tips\">\n"
        for (index, sample) in samples.enumerated() {
            let begin = area.x(time.share(Double(sample.second)))
            let width = area.x(time.share(end(index))) - begin
            markup += """
                <rect x="\(begin)" y="\(area.top)" width="\(max(0, width))" height="\(area.bottom - area.top)">\
                <title>\(Readable.clock(Double(sample.second))): \(Readable.fixed(sample.cpu, 2)) cores, \
                \(Readable.memory(Double(sample.rss))), \(sample.descriptors) descriptors</title></rect>

                """
        }
        markup += "</g>\n"
        return markup
    }

    private var words: String {
        let cpu = samples.map(\.cpu)
        let rss = samples.map(\.rss)
        return
            "Between \(Readable.fixed(cpu.min() ?? 0, 2)) and \(Readable.fixed(cpu.max() ?? 0, 2)) cores; memory "
            + "between \(Readable.memory(Double(rss.min() ?? 0))) and \(Readable.memory(Double(rss.max() ?? 0)))."
    }

    // Of a long run one sample of each step is drawn, the one with the most memory.
    private static func thinned(_ samples: [Report.Cost.Sample]) -> [Report.Cost.Sample] {
        let width = samples.count / TimelineStep.stepsMax + 1
        return stride(from: 0, to: samples.count, by: width).compactMap { begin in
            samples[begin..<min(begin + width, samples.count)].max { $0.rss < $1.rss }
        }
    }
}
