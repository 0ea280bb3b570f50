/// A histogram with fixed upper bounds. It counts each value in one bucket; `Exposition` prints the cumulative counts
/// that Prometheus expects.
struct Histogram {
    /// Bounds in seconds, from a commit on a fast disk with a cache to one on a disk that hangs.
    static let commitBounds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    let bounds: [Double]
    private(set) var counts: [Int]
    private(set) var sum = 0.0
    private(set) var count = 0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count)
    }

    mutating func record(_ value: Double) {
        count += 1
        sum += value
        if let bucket = bounds.firstIndex(where: { value <= $0 }) { counts[bucket] += 1 }
    }
}
