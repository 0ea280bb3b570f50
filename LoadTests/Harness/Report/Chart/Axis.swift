import Foundation

/// One axis of a drawing: which values it spans, and where its marks are, at numbers that people like (1, 2 and 5 times
/// a power of ten). A value.
struct Axis {
    let low: Double
    let high: Double
    let isLogarithmic: Bool
    let ticks: [Double]

    /// From 0 to a round number at or above `most`, with at most `count` steps.
    static func linear(to most: Double, steps count: Int = 5) -> Axis {
        let top = most.isFinite && most > 0 ? most : 1
        let step = roundStep(top / Double(count))
        let steps = (top / step - 1e-9).rounded(.up)
        return Axis(
            low: 0, high: step * steps, isLogarithmic: false, ticks: (0...Int(steps)).map { Double($0) * step })
    }

    /// From the 1, 2 or 5 at or below `least` to the one at or above `most`; marks become whole powers when it spans
    /// many.
    static func logarithmic(from least: Double, to most: Double) -> Axis {
        let bottom = least.isFinite && least > 0 ? least : 1
        let top = most.isFinite ? Swift.max(most, bottom) : bottom
        let exponents = Int(log10(bottom).rounded(.down))...Int(log10(top).rounded(.up))
        let all = exponents.flatMap { exponent in [1.0, 2, 5].map { $0 * pow(10, Double(exponent)) } }
        let low = all.last { $0 <= bottom * 1.000_001 } ?? bottom
        var high = all.first { $0 >= top * 0.999_999 } ?? top
        if high <= low { high = all.first { $0 > low } ?? low * 2 }
        let inside = all.filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
        let powers = exponents.map { pow(10, Double($0)) }.filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
        return Axis(low: low, high: high, isLogarithmic: true, ticks: inside.count > 8 ? powers : inside)
    }

    /// Marks of a clock between two seconds: at multiples of a step that divides minutes and hours.
    static func time(from first: Double, to last: Double) -> Axis {
        let span = Swift.max(last - first, 1)
        let steps: [Double] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400]
        // Whole hours beyond, so that no span, however wrong, makes more than ten marks.
        let step = steps.first { span / $0 <= 10 } ?? (span / 36_000).rounded(.up) * 3_600
        let begin = (first / step).rounded(.up)
        let end = (last / step + 1e-9).rounded(.down)
        let ticks = begin <= end ? stride(from: begin, through: end, by: 1).map { $0 * step } : []
        return Axis(low: first, high: first + span, isLogarithmic: false, ticks: ticks)
    }

    /// Where a value lies, 0 at the low end and 1 at the high; what lies outside is put on the end.
    func share(_ value: Double) -> Double {
        let share =
            isLogarithmic
            ? (log10(Swift.max(value, low)) - log10(low)) / (log10(high) - log10(low)) : (value - low) / (high - low)
        return share.isFinite ? Swift.min(1, Swift.max(0, share)) : 0
    }

    private static func roundStep(_ step: Double) -> Double {
        let power = pow(10, log10(step).rounded(.down))
        return ([1.0, 2, 5, 10].first { $0 * power >= step * 0.999_999 } ?? 10) * power
    }
}
