import RoostWire
import Testing

@testable import RoostCore

/// `LeasedNumbers`: which numbers are given out, when more are requested, and what happens when there are none.
@Suite struct LeasedNumbersTests {
    private final class Giver {
        var numbers: LeasedNumbers

        init(_ lease: Range<Int32>) { numbers = LeasedNumbers(.user, lease) }

        func take(_ count: Int) -> [Int32] {
            (0..<count).compactMap { _ in try? numbers.take(retryMilliseconds: 250) }
        }

        func asks() -> Bool { numbers.mustAsk() }

        func refusal() -> ErrorCode? {
            do throws(Refusal) { try numbers.check(1, retryMilliseconds: 250) } catch { return error.code }
            return nil
        }
    }

    @Test func numbersAreGivenOutOnceAndInOrder() {
        #expect(Giver(5..<9).take(6) == [5, 6, 7, 8])
    }

    @Test func theNextLeaseIsRequestedOnceWhenHalfIsUsed() {
        let giver = Giver(1..<9)
        #expect(!giver.asks())
        _ = giver.take(4)
        #expect(giver.asks())
        #expect(!giver.asks())
        giver.numbers.add(100..<108)
        #expect(!giver.asks())
        #expect(giver.take(6) == [5, 6, 7, 8, 100, 101])
        #expect(!giver.asks())
        #expect(giver.take(2) == [102, 103])
        #expect(giver.asks())
    }

    @Test func withoutNumbersItIsBusyUntilTheStoreHasNoMore() {
        let giver = Giver(1..<3)
        _ = giver.take(2)
        #expect(giver.asks())
        #expect(giver.refusal() == .busy)
        giver.numbers.add(7..<8)
        #expect(giver.refusal() == nil)
        _ = giver.take(1)
        #expect(giver.asks())
        giver.numbers.add(3..<3)
        #expect(giver.refusal() == .tooLarge)
        #expect(!giver.asks())
    }

    @Test func rangesEndBeforeTheLastNumber() {
        #expect(NumberLeases.range(above: 0, count: 10) == 1..<11)
        #expect(NumberLeases.range(above: Int32.max - 3, count: 10) == (Int32.max - 2)..<Int32.max)
        #expect(NumberLeases.range(above: Int32.max - 1, count: 10).isEmpty)
        #expect(NumberLeases.range(above: Int32.max, count: 10).isEmpty)
        #expect(NumberLeases.range(above: -5, count: 2) == 1..<3)
    }
}
