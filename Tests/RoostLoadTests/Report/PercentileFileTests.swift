import Foundation
import Testing

@testable import RoostLoad

/// `.hgrm` files have the values of `Distribution` and the format of HdrHistogram.
@Suite struct PercentileFileTests {
    private struct Row {
        var value: Double
        var share: Double
        var count: UInt64
        var inverse: Double?
    }

    private func rows(of text: String) -> [Row] {
        text.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("#") }.compactMap { line in
            let words = line.split(separator: " ")
            guard (3...4).contains(words.count), let value = Double(words[0]), let share = Double(words[1]),
                let count = UInt64(words[2])
            else { return nil }
            return Row(value: value, share: share, count: count, inverse: words.count == 4 ? Double(words[3]) : nil)
        }
    }

    @Test func eachRowIsThePercentileOfTheDistribution() throws {
        let measured = try #require(SampleRun(seconds: 4, rate: 500).result.corrected[.delivery])
        let text = PercentileFile.text(of: measured)
        let rows = rows(of: text)
        #expect(rows.count > 50)
        #expect(rows.count == text.split(separator: "\n").count - 3)
        let exact = PercentileFile.rows(of: measured)
        #expect(exact.count == rows.count)
        for (row, exact) in zip(rows, exact) {
            #expect(exact.value == measured.percentile(exact.level))
            #expect(abs(row.value - Double(exact.value) / 1e6) <= 0.000_51)
            #expect(abs(row.share - exact.level / 100) <= 1e-12)
            let passed = zip(measured.values, measured.counts).filter { $0.0 <= exact.value }.reduce(0) { $0 + $1.1 }
            #expect(row.count == passed)
            if let inverse = row.inverse { #expect(abs(inverse - 1 / (1 - row.share)) <= inverse * 0.001 + 0.01) }
        }
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.share < $1.share && $0.value <= $1.value })
        #expect(rows.last?.share == 1)
        #expect(rows.last?.inverse == nil)
        #expect(rows.last?.count == measured.total)
    }

    // The format that HdrHistogram's plotter and its other tools read.
    @Test func theFormatIsThatOfHdrHistogram() throws {
        let text = PercentileFile.text(of: try SampleRun.distribution([1_000_000: 3, 2_000_000: 1]))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "       Value     Percentile TotalCount 1/(1-Percentile)")
        #expect(lines[1] == "")
        #expect(lines[2] == "       1.000 0.000000000000          3           1.00")
        #expect(lines[3] == "       1.000 0.100000000000          3           1.11")
        #expect(lines.contains("       2.000 1.000000000000          4"))
        #expect(lines.contains("#[Mean    =        1.250, StdDeviation   =        0.433]"))
        #expect(lines.contains("#[Max     =        2.000, Total count    =            4]"))
    }

    @Test func withoutValuesTheFileHasNoRows() {
        #expect(rows(of: PercentileFile.text(of: Distribution())).isEmpty)
    }
}
