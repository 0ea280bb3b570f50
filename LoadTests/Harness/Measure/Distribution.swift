import Histogram

/// Recorded values with their counts, in rising order. Histograms are stored, sent between processes and merged in this
/// form. Values are in nanoseconds if nothing else is said.
public struct Distribution: Codable, Sendable, Equatable {
    /// The recorded values, each once, in rising order.
    public private(set) var values: [UInt64] = []
    /// Number of times that each value was recorded.
    public private(set) var counts: [UInt64] = []

    /// An empty distribution.
    public init() {}

    init<Count>(_ histogram: Histogram<Count>) {
        for step in histogram.recordedValues() {
            values.append(step.value)
            counts.append(UInt64(step.count))
        }
    }

    /// Number of recorded values.
    public var total: UInt64 { counts.reduce(0, +) }

    /// The greatest value; 0 if there is none.
    public var max: UInt64 { values.last ?? 0 }
    /// The least value; 0 if there is none.
    public var min: UInt64 { values.first ?? 0 }

    /// The mean of all values; 0 if there is none.
    public var mean: Double {
        guard total > 0 else { return 0 }
        return zip(values, counts).reduce(0) { $0 + Double($1.0) * Double($1.1) } / Double(total)
    }

    /// The value that `percent` of all values don't exceed; 0 if there is none.
    public func percentile(_ percent: Double) -> UInt64 {
        let wanted = Double(total) * percent / 100
        var passed: UInt64 = 0
        for (value, count) in zip(values, counts) {
            passed += count
            if Double(passed) >= wanted { return value }
        }
        return max
    }

    /// Adds the values of another distribution.
    public mutating func merge(_ other: Distribution) {
        var merged = Distribution()
        var mine = 0
        var theirs = 0
        while mine < values.count || theirs < other.values.count {
            let left = mine < values.count ? values[mine] : .max
            let right = theirs < other.values.count ? other.values[theirs] : .max
            let value = Swift.min(left, right)
            var count: UInt64 = 0
            if left == value, mine < values.count {
                count += counts[mine]
                mine += 1
            }
            if right == value, theirs < other.values.count {
                count += other.counts[theirs]
                theirs += 1
            }
            merged.values.append(value)
            merged.counts.append(count)
        }
        self = merged
    }
}
