import Glibc
import SeededRandom

/// Random numbers of the harness, other than weighted choices.
extension SeededGenerator {
    /// A number from 0 to just below 1, in steps of 2^-53.
    mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// An exponentially distributed number, like the gaps of a Poisson process. Inversion takes one draw for each.
    mutating func exponential(mean: Double) -> Double {
        // log1p is exact for small values. 1 - u is never 0, so the result stays below 37 times the mean.
        -mean * log1p(-unit())
    }

    /// Returns true with this probability, 0…1.
    mutating func happens(_ probability: Double) -> Bool { unit() < probability }

    /// A whole number in the range; all have the same probability.
    mutating func whole(in range: ClosedRange<Int>) -> Int {
        let width = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound)) &+ 1
        guard width > 0 else { return Int(truncatingIfNeeded: next()) }
        // Lemire's multiply-shift (2019) without its rejection step. The bias is at most width / 2^64.
        return range.lowerBound &+ Int(truncatingIfNeeded: width.multipliedFullWidth(by: next()).high)
    }
}
