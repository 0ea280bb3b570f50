import Glibc
import RoostTestKit

/// What the harness leaves to chance beside picking.
extension SeededGenerator {
    /// From 0 to just below 1, in steps of 2^-53.
    mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Exponentially distributed, as are the gaps of a Poisson process; by inversion, so one draw each.
    mutating func exponential(mean: Double) -> Double {
        // log1p keeps the small values exact; 1 - u is never 0, so it stays below 37 times the mean.
        -mean * log1p(-unit())
    }

    /// Whether something of this probability, 0…1, happens.
    mutating func happens(_ probability: Double) -> Bool { unit() < probability }

    /// A whole number of the range, all alike.
    mutating func whole(in range: ClosedRange<Int>) -> Int {
        let width = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound)) &+ 1
        guard width > 0 else { return Int(truncatingIfNeeded: next()) }
        // The multiply-shift of Lemire 2019 without its rejection step: the bias is at most width / 2^64.
        return range.lowerBound &+ Int(truncatingIfNeeded: width.multipliedFullWidth(by: next()).high)
    }
}
