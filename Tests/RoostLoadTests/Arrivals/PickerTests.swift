import Glibc
import SeededRandom
import Testing

@testable import RoostLoad

/// Frequencies of picks. The seeds are fixed, so the result is always the same.
@Suite struct PickerTests {
    /// Pearson's χ² of `draws` picks compared with the weights, divided by the degrees of freedom: about 1 if they fit.
    func misfit(_ weights: [Double], draws: Int, seed: UInt64, pick: (inout SeededGenerator) -> Int) -> Double {
        var random = SeededGenerator(seed: seed)
        var counts = [Int](repeating: 0, count: weights.count)
        for _ in 0..<draws { counts[pick(&random)] += 1 }
        let total = weights.reduce(0, +)
        var sum = 0.0
        for (count, weight) in zip(counts, weights) {
            let expected = Double(draws) * weight / total
            if expected == 0 {
                #expect(count == 0)
            } else {
                sum += (Double(count) - expected) * (Double(count) - expected) / expected
            }
        }
        return sum / Double(max(1, weights.count { $0 > 0 } - 1))
    }

    // With 2, 3, 9, 99 and 999 degrees of freedom, 99.99 % of χ² stay below 9.2, 7.1, 3.8, 1.6 and 1.2 for each degree.
    @Test(
        arguments: [
            ([1, 2, 7], 9.2), ([8, 0.2, 1, 1], 7.1), ([5, 0, 3, 0, 2], 9.2), ([1e-3, 1e3, 1, 10], 7.1),
            ([1e308, 1e308, 5e307], 9.2), ([0, 0, 1], 0.001), ([4], 0.001),
        ] as [([Double], Double)]
    )
    func weightsArePickedInProportion(_ weights: [Double], _ bound: Double) throws {
        let picker = try #require(WeightedPicker(weights: weights))
        let relative = weights.map { $0 / (weights.max() ?? 1) }
        #expect(misfit(relative, draws: 200_000, seed: 11) { picker.pick(&$0) } < bound)
    }

    @Test(arguments: [(10, 0.0, 3.8), (10, 1.0, 3.8), (100, 0.8, 1.6), (100, 2.0, 1.6), (1_000, 1.0, 1.2)])
    func zipfIsFollowed(_ count: Int, _ exponent: Double, _ bound: Double) throws {
        let picker = try #require(ZipfPicker(count: count, exponent: exponent))
        let weights = (1...count).map { 1 / pow(Double($0), exponent) }
        #expect(misfit(weights, draws: 1_000_000, seed: 12) { picker.pick(&$0) } < bound)
    }

    /// Shows that the test above can fail: the picks of one exponent don't fit a similar one.
    @Test func anotherExponentIsDetected() throws {
        let picker = try #require(ZipfPicker(count: 100, exponent: 1.05))
        let weights = (1...100).map { 1 / Double($0) }
        #expect(misfit(weights, draws: 1_000_000, seed: 12) { picker.pick(&$0) } > 5)
    }

    @Test func manyItemsAreAllReached() throws {
        let picker = try #require(ZipfPicker(count: 50_000, exponent: 0))
        var random = SeededGenerator(seed: 2)
        var seen = Set<Int>()
        // With 15 times as many draws as items, the probability that an item is never drawn is e^-15 × 50,000, 1.5 %.
        for _ in 0..<750_000 { seen.insert(picker.pick(&random)) }
        #expect(seen == Set(0..<50_000))
    }

    @Test func withoutItemsThereIsNoPicker() {
        #expect(WeightedPicker(weights: []).map { _ in 0 } == nil)
        #expect(WeightedPicker(weights: [0, -1, .nan, .infinity]).map { _ in 0 } == nil)
        #expect(ZipfPicker(count: 0, exponent: 1).map { _ in 0 } == nil)
        #expect(ZipfPicker(count: 3, exponent: .nan).map { _ in 0 } == nil)
    }

    @Test func drawsStayInTheirBounds() {
        var random = SeededGenerator(seed: 4)
        var seen = Set<Int>()
        for _ in 0..<10_000 {
            #expect((0..<1).contains(random.unit()))
            #expect(random.exponential(mean: 3) >= 0)
            seen.insert(random.whole(in: -2...3))
        }
        #expect(seen == Set(-2...3))
        #expect(random.whole(in: 7...7) == 7)
        #expect((0..<100).allSatisfy { _ in !random.happens(0) && random.happens(1) })
        _ = random.whole(in: Int.min...Int.max)
    }
}
