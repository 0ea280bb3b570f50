import Glibc
import SeededRandom

/// Picks one of n by Zipf's law: the k-th, counted from 1, has a probability proportional to 1 / k^s. With s = 0 all
/// are equal. With s near 1 a few are picked most of the time, as with real conversations. Immutable; picking doesn't
/// allocate.
struct ZipfPicker: Sendable {
    private let picker: WeightedPicker

    /// Returns nil if there is nothing to pick, or if the exponent isn't finite.
    init?(count: Int, exponent: Double) {
        guard count > 0, exponent.isFinite,
            let picker = WeightedPicker(weights: (1...count).map { pow(Double($0), -exponent) })
        else { return nil }
        self.picker = picker
    }

    /// Returns an index from 0 to `count` - 1.
    func pick(_ random: inout SeededGenerator) -> Int { picker.pick(&random) }
}
