/// Counts values by size, for operators: how many were at most as large as each of a few fixed bounds. Values are whole
/// numbers, in the unit that the owner names. Recording allocates nothing.
public struct BucketHistogram: Sendable, Equatable {
    /// Upper bounds, ascending. A value above all of them counts only in `count` and `sum`.
    public let bounds: [Int64]
    /// Number of values that were at most as large as the bound at the same index, and larger than the one before.
    public private(set) var counts: [Int]
    /// All values together.
    public private(set) var sum: Int64 = 0
    /// Number of values.
    public private(set) var count = 0

    /// An empty one.
    public init(bounds: [Int64]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count)
    }

    /// Counts a value; one below 0 counts as 0.
    /// - Parameter times: how many such values there were.
    public mutating func record(_ value: Int64, times: Int = 1) {
        let value = max(0, value)
        count += times
        sum &+= value &* Int64(times)
        if let place = bounds.firstIndex(where: { value <= $0 }) { counts[place] += times }
    }

    /// The values recorded since an earlier state of the same histogram.
    public func since(_ earlier: BucketHistogram) -> BucketHistogram {
        guard bounds == earlier.bounds, count >= earlier.count else { return self }
        var recent = self
        for place in counts.indices { recent.counts[place] -= earlier.counts[place] }
        recent.sum &-= earlier.sum
        recent.count -= earlier.count
        return recent
    }

    /// The bound below which this share of the values is, within a bucket in proportion; the highest bound if it is
    /// above that, and 0 if there are no values.
    public func quantile(_ share: Double) -> Double {
        let wanted = share * Double(count)
        var (below, seen) = (0.0, 0.0)
        for (bound, count) in zip(bounds, counts) {
            if count > 0, seen + Double(count) >= wanted {
                return below + (Double(bound) - below) * max(0, wanted - seen) / Double(count)
            }
            seen += Double(count)
            below = Double(bound)
        }
        return count > 0 ? below : 0
    }
}

extension BucketHistogram {
    /// Bounds for times in milliseconds that a person may notice, up to an hour without a network.
    public static let waits: [Int64] = [
        1, 2, 5, 10, 25, 50, 100, 200, 500, 1_000, 2_500, 5_000, 15_000, 60_000, 600_000, 3_600_000,
    ]
    /// Bounds for times in microseconds, from a commit on a fast disk with a cache to one on a disk that hangs.
    public static let works: [Int64] = [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 10_000_000,
    ]
    /// Bounds for numbers of things.
    public static let numbers: [Int64] = [
        0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000,
    ]
}
