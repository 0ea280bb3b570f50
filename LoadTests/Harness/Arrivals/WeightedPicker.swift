import SeededRandom

/// Picks an index with a probability proportional to its weight, by the alias method (Walker 1977; table by Vose 1991).
/// A pick takes one random number and at most two look-ups. Immutable; picking doesn't allocate.
struct WeightedPicker: Sendable {
    /// A column of the table belongs to its own index below `threshold`, and to `alias` above.
    private struct Column {
        var threshold: UInt64
        var alias: Int
    }

    private let columns: [Column]

    /// Returns nil if no weight is above 0. Negative and non-finite weights count as 0.
    init?(weights: [Double]) {
        let weights = weights.map { $0 > 0 && $0.isFinite ? $0 : 0 }
        // Divides by the greatest weight first, because the sum of finite weights may not be finite.
        guard let heaviest = weights.max(), heaviest > 0 else { return nil }
        let relative = weights.map { $0 / heaviest }
        let mean = relative.reduce(0, +) / Double(relative.count)
        var shares = relative.map { $0 / mean }
        // A column that is left over at the end is full, apart from rounding.
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

    /// Returns the index of a weight.
    func pick(_ random: inout SeededGenerator) -> Int {
        // The high word is the column, the low word the depth in it.
        let (column, depth) = UInt64(columns.count).multipliedFullWidth(by: random.next())
        let index = Int(column)
        return depth < columns[index].threshold ? index : columns[index].alias
    }
}
