import Testing

@testable import RoostLoad

/// Marks at round numbers, and places within the drawing.
@Suite struct AxisTests {
    @Test(
        arguments: [
            (583, [0, 200, 400, 600]), (0.34, [0, 0.1, 0.2, 0.3, 0.4]), (1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ] as [(Double, [Double])])
    func linearMarksAreRound(most: Double, marks: [Double]) {
        let axis = Axis.linear(to: most)
        #expect(axis.ticks.count == marks.count)
        #expect(zip(axis.ticks, marks).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(axis.high >= most)
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1e-300, 1e300] as [Double]) func anyMaximumMakesAnAxis(most: Double) {
        let axis = Axis.linear(to: most)
        #expect(axis.ticks.count >= 2 && axis.ticks.count <= 12)
        #expect((0...1).contains(axis.share(most)))
    }

    @Test func logarithmicMarks() {
        let narrow = Axis.logarithmic(from: 1.2e6, to: 38e6)
        #expect(narrow.ticks.map { ($0 / 1e6).rounded() } == [1, 2, 5, 10, 20, 50])
        #expect(narrow.low <= 1.2e6 && narrow.high >= 38e6)
        let wide = Axis.logarithmic(from: 1e3, to: 1e9)
        #expect(wide.ticks.count == 7)
        #expect(abs(wide.share(1e6) - 0.5) < 1e-9)
    }

    @Test(arguments: [(0, 0), (5, 5), (9, 3), (.nan, 1), (1, .infinity), (1e3, 1e3)] as [(Double, Double)])
    func anySpanMakesALogarithmicAxis(least: Double, most: Double) {
        let axis = Axis.logarithmic(from: least, to: most)
        #expect(axis.high > axis.low)
        #expect(!axis.ticks.isEmpty)
        for value in [least, most, 0, -1] { #expect((0...1).contains(axis.share(value))) }
    }

    @Test func timeMarksLieInsideAndOnMultiples() {
        let axis = Axis.time(from: -5, to: 62)
        #expect(axis.ticks == [0, 10, 20, 30, 40, 50, 60])
        #expect(Axis.time(from: 0, to: 86_400).ticks.count <= 11)
        #expect(Axis.time(from: 0, to: 0).high > 0)
        #expect(Axis.time(from: -1e18, to: 1e18).ticks.count <= 11)
    }
}
