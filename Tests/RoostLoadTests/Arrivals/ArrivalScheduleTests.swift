import SeededRandom
import Testing

@testable import RoostLoad

/// When messages are due. The bounds are at least four standard deviations, and the seeds are fixed, so the result is
/// always the same.
@Suite struct ArrivalScheduleTests {
    func dues(_ count: Int, rate: Double, _ arrivals: Scenario.Messages.Arrivals, seed: UInt64 = 1) -> [UInt64] {
        var schedule = ArrivalSchedule(rate: rate, arrivals: arrivals, seed: seed)
        return (0..<count).map { _ in
            defer { schedule.advance() }
            return schedule.nextDue
        }
    }

    @Test func constantGapsAreAllEqual() {
        #expect(dues(5, rate: 1_000, .constant) == [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000])
    }

    /// A gap of 1/3 s isn't a whole number of nanoseconds. Adding rounded gaps would lose a third of a nanosecond each
    /// time.
    @Test func constantGapsNeverDrift() {
        #expect(dues(300_001, rate: 3, .constant).last == 100_000_000_000_000)
        #expect(dues(700_001, rate: 700_000, .constant).last == 1_000_000_000)
    }

    /// The rate of each stage holds from its moment to the next one's, and nothing is due twice or left out between.
    @Test(arguments: Scenario.Messages.Arrivals.allCases)
    func stagesChangeTheRate(_ arrivals: Scenario.Messages.Arrivals) {
        var schedule = ArrivalSchedule(
            rate: 1_000, arrivals: arrivals, seed: 5, stages: [.init(at: 10, factor: 3), .init(at: 20, factor: 0.5)],
            offset: 2)
        var counts = [Int](repeating: 0, count: 40)
        var last: UInt64 = 0
        while schedule.nextDue < 40_000_000_000 {
            #expect(schedule.nextDue >= last)
            last = schedule.nextDue
            counts[Int(schedule.nextDue / 1_000_000_000)] += 1
            schedule.advance()
        }
        for (second, count) in counts.enumerated() {
            let expected = second < 12 ? 1_000 : second < 22 ? 3_000 : 500
            // Five standard deviations of a Poisson process; even intervals differ by one.
            let slack = arrivals == .constant ? 1 : 5 * Double(expected).squareRoot()
            #expect(abs(Double(count - expected)) <= slack, "second \(second): \(count)")
        }
    }

    @Test func poissonGapsAreExponential() {
        let count = 100_000
        let dues = dues(count + 1, rate: 500, .poisson)
        let gaps = zip(dues.dropFirst(), dues).map { Double($0 - $1) / 2e6 }
        let mean = gaps.reduce(0, +) / Double(count)
        #expect(abs(mean - 1) < 0.013)
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
        #expect(abs(variance - 1) < 0.036)
        // In an exponential distribution, 1/e of the values are above the mean, and 1/e² above twice the mean.
        for (times, expected) in [(1.0, 0.367_879), (2, 0.135_335), (4, 0.018_316)] {
            let above = Double(gaps.count { $0 > times }) / Double(count)
            #expect(abs(above - expected) < 0.006, "above \(times) times the mean")
        }
        // The distribution has no memory: a gap says nothing about the next one.
        let products = zip(gaps.dropFirst(), gaps).map { ($0 - mean) * ($1 - mean) }
        #expect(abs(products.reduce(0, +) / Double(count)) < 0.013)
    }

    /// The counts of all spans follow the rate with the spread of a Poisson distribution, whose variance is its mean.
    @Test func poissonCountsSpreadAsTheyShould() {
        var counts = [Int](repeating: 0, count: 2_000)
        for due in dues(250_000, rate: 100, .poisson, seed: 7) where due < 2_000_000_000_000 {
            counts[Int(due / 1_000_000_000)] += 1
        }
        let mean = Double(counts.reduce(0, +)) / 2_000
        let variance = counts.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / 2_000
        #expect(abs(mean - 100) < 0.9)
        #expect(abs(variance / mean - 1) < 0.13)
    }

    @Test func poissonStaysOnTimeOverADay() {
        // A day at 50 a second. The standard deviation of the sum of n gaps is √n gaps.
        var schedule = ArrivalSchedule(rate: 50, arrivals: .poisson, seed: 3)
        for _ in 1..<4_320_000 { schedule.advance() }
        let off = Double(schedule.nextDue) / 1e9 - 86_400
        #expect(abs(off) < 4 * (4_320_000.0).squareRoot() / 50)
    }

    /// The gaps are 10 ns on average. Rounding down to whole nanoseconds would take half of one from each, 5 % in all.
    @Test func poissonGapsKeepTheirFractions() throws {
        let last = try #require(dues(100_000, rate: 100_000_000, .poisson).last)
        #expect(abs(Double(last) / 1e6 - 1) < 0.013)
    }

    @Test func dueTimesOnlyRise() {
        let dues = dues(100_000, rate: 1_000_000, .poisson)
        #expect(zip(dues, dues.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func theSeedDeterminesTheTimes() {
        #expect(dues(100, rate: 10, .poisson, seed: 5) == dues(100, rate: 10, .poisson, seed: 5))
        #expect(dues(100, rate: 10, .poisson, seed: 5) != dues(100, rate: 10, .poisson, seed: 6))
    }
}
