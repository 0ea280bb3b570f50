import Foundation

/// A distribution in the text format of HdrHistogram's `outputPercentileDistribution`, in milliseconds, as
/// HdrHistogram's plotter reads it. Levels come closer together towards 100 %: five steps to each halving of the
/// distance. The line on buckets is left out, because a `Distribution` no longer knows them. Pure.
enum PercentileFile {
    private static let stepsPerHalving = 5.0

    static func text(of measured: Distribution) -> String {
        var lines = ["       Value     Percentile TotalCount 1/(1-Percentile)", ""]
        for row in rows(of: measured) {
            let value = Double(row.value) / 1e6
            var line = String(format: "%12.3f %2.12f %10llu", value, row.level / 100, row.count)
            if row.level < 100 { line += String(format: " %14.2f", 1 / (1 - row.level / 100)) }
            lines.append(line)
        }
        let mean = measured.mean / 1e6
        lines.append(
            String(format: "#[Mean    = %12.3f, StdDeviation   = %12.3f]", mean, deviation(of: measured) / 1e6))
        lines.append(
            String(format: "#[Max     = %12.3f, Total count    = %12llu]", Double(measured.max) / 1e6, measured.total))
        return lines.joined(separator: "\n") + "\n"
    }

    /// `count` is the number of values that don't exceed `value`; `level` is in percent.
    static func rows(of measured: Distribution) -> [(value: UInt64, level: Double, count: UInt64)] {
        var rows: [(value: UInt64, level: Double, count: UInt64)] = []
        let total = measured.total
        var passed: UInt64 = 0
        var level = 0.0
        for (value, times) in zip(measured.values, measured.counts) where times > 0 {
            passed += times
            // Each step shrinks the distance to 100 % by a fifth of a halving, so this ends after some log2(total) × 5
            // steps.
            while level < 100, Double(passed) >= Double(total) * level / 100 {
                rows.append((value, level, passed))
                if passed == total { break }
                level = next(after: level)
            }
        }
        if total > 0 { rows.append((measured.max, 100, total)) }
        return rows
    }

    // The rule of HdrHistogram's PercentileIterator.
    private static func next(after level: Double) -> Double {
        let halvings = log2(100 / (100 - level)).rounded(.down) + 1
        return level + 100 / (stepsPerHalving * pow(2, halvings))
    }

    private static func deviation(of measured: Distribution) -> Double {
        guard measured.total > 0 else { return 0 }
        let mean = measured.mean
        let squares = zip(measured.values, measured.counts).reduce(0.0) { sum, step in
            let distance = Double(step.0) - mean
            return sum + distance * distance * Double(step.1)
        }
        return (squares / Double(measured.total)).squareRoot()
    }
}
