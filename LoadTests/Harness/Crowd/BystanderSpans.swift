import Histogram

/// The latency of deliveries between users that a storm spared, by the time from the storm to when they were due. Only
/// deliveries that were due before all devices were live again count, and that is known when the run is over.
struct BystanderSpans {
    /// Length of a span. Short, because a storm may be over within a second.
    static let nanoseconds: UInt64 = 250_000_000
    /// Most spans. Each takes some 35 KiB; a storm that lasts longer than this minute breaks every threshold.
    static let countMax = 240

    // With two digits the values are exact to 1 %.
    private var spans: [Histogram<UInt32>] = []

    /// Records a latency.
    /// - Parameter delay: time from the storm to when the message was due.
    mutating func record(_ latency: UInt64, after delay: UInt64) {
        let number = Int(delay / Self.nanoseconds)
        guard number < Self.countMax else { return }
        while spans.count <= number {
            spans.append(Histogram(highestTrackableValue: Recorder.longest, numberOfSignificantValueDigits: .two))
        }
        spans[number].record(min(max(1, latency), Recorder.longest))
    }

    /// One for each span from the storm on, up to the last one in which something was due.
    var distributions: [Distribution] { spans.map { Distribution($0) } }
}

extension RunResult {
    /// Counts the deliveries between bystanders that were due while a storm lasted. Called once, with what all
    /// processes have measured: only together they know when the last one was live.
    mutating func countBystanders() {
        var sum = Distribution()
        for index in disturbances.indices {
            let spans = disturbances[index].bystanders ?? []
            disturbances[index].bystanders = nil
            let lasted = (disturbances[index].welcomed + disturbances[index].live) * 1e9
            let count = (lasted / Double(BystanderSpans.nanoseconds)).rounded(.up)
            // Also if no device was cut off: what was due at once still counts.
            for span in spans.prefix(Int(min(max(count, 1), Double(BystanderSpans.countMax)))) { sum.merge(span) }
        }
        guard sum.total > 0 else { return }
        corrected[.bystander] = sum
        uncorrected[.bystander] = sum
    }
}
