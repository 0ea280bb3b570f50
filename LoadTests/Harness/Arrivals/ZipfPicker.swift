import Glibc
import RoostTestKit

/// Picks one of n by Zipf's law: the k-th, counted from 1, with a probability in proportion to 1 / k^s. With s = 0 all
/// are alike; near 1 it's how conversations are used, a few of them by most. Immutable; picking doesn't allocate.
struct ZipfPicker: Sendable {
    private let picker: WeightedPicker

    /// nil: there is nothing to pick, or the exponent is no number.
    init?(count: Int, exponent: Double) {
        guard count > 0, exponent.isFinite,
            let picker = WeightedPicker(weights: (1...count).map { pow(Double($0), -exponent) })
        else { return nil }
        self.picker = picker
    }

    /// From 0 for the first to `count` - 1.
    func pick(_ random: inout SeededGenerator) -> Int { picker.pick(&random) }
}
