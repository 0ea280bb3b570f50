import RoostTestKit

/// Picks an index with a probability in proportion to its weight: the alias method (Walker 1977, with the table built
/// as by Vose 1991), one random number and at most one further look-up each. Immutable; picking doesn't allocate.
struct WeightedPicker: Sendable {
    /// Each column of the table is shared by its own index, below `threshold`, and one other.
    private struct Column {
        var threshold: UInt64
        var alias: Int
    }

    private let columns: [Column]

    /// nil: no weight is above 0. Negative weights and those that are no number count as 0.
    init?(weights: [Double]) {
        let weights = weights.map { $0 > 0 && $0.isFinite ? $0 : 0 }
        // By the greatest first: the sum of finite weights may not be finite.
        guard let heaviest = weights.max(), heaviest > 0 else { return nil }
        let relative = weights.map { $0 / heaviest }
        let mean = relative.reduce(0, +) / Double(relative.count)
        var shares = relative.map { $0 / mean }
        // A column that is left over is full but for rounding.
        var columns = shares.indices.map { Column(threshold: .max, alias: $0) }
        var small = shares.indices.filter { shares[$0] < 1 }
        var large = shares.indices.filter { shares[$0] >= 1 }
        while let low = small.last, let high = large.last {
            small.removeLast()
            columns[low] = Column(threshold: UInt64(shares[low] * 0x1p64), alias: high)
            shares[high] -= 1 - shares[low]
            if shares[high] < 1 {
                large.removeLast()
                small.append(high)
            }
        }
        self.columns = columns
    }

    /// The index of a weight.
    func pick(_ random: inout SeededGenerator) -> Int {
        // The high word is the column, the low one how far into it.
        let (column, depth) = UInt64(columns.count).multipliedFullWidth(by: random.next())
        let index = Int(column)
        return depth < columns[index].threshold ? index : columns[index].alias
    }
}
