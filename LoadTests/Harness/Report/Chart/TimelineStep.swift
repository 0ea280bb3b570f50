/// A span of the load as it is drawn: one second, or in a long run as many as fit into a pixel or two. A value.
struct TimelineStep {
    var first: Int
    var seconds: Int
    var deliveredPerSecond: Double
    var sessions: UInt64
    /// ns; nil: nothing was delivered.
    var p50: UInt64?
    var p99: UInt64?

    /// More are not told apart.
    static let stepsMax = 320

    var middle: Double { Double(first) + Double(seconds) / 2 }

    static func steps(of timeline: [RunResult.Second]) -> [TimelineStep] {
        let sorted = timeline.sorted { $0.second < $1.second }
        guard let first = sorted.first?.second, let last = sorted.last?.second else { return [] }
        let width = (last - first) / stepsMax + 1
        // A step doesn't reach from the warm-up into the load.
        let groups = Dictionary(grouping: sorted) { Int((Double($0.second) / Double(width)).rounded(.down)) }
        return groups.sorted { $0.key < $1.key }.map { key, seconds in
            var latency = Distribution()
            for second in seconds { latency.merge(second.delivery) }
            let delivered = seconds.reduce(0.0) { $0 + Double($1.delivered) }
            return TimelineStep(
                first: key * width, seconds: width, deliveredPerSecond: delivered / Double(seconds.count),
                sessions: seconds.map(\.sessions).min() ?? 0, p50: latency.total > 0 ? latency.percentile(50) : nil,
                p99: latency.total > 0 ? latency.percentile(99) : nil)
        }
    }
}
