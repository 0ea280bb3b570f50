import Testing

@testable import RoostCore

/// `Spending` alone: what may be spent when.
@Suite struct SpendingTests {
    private let rate = Spending.Rate(amount: 10, milliseconds: 1_000, burst: 20)

    @Test func theFullAllowanceMayBeSpentAtOnce() {
        var spending = Spending()
        #expect(spending.spend(19, of: rate, at: 5) == nil)
        #expect(spending.spend(1, of: rate, at: 5) == nil)
        #expect(spending.spend(1, of: rate, at: 5) == 100)
        #expect(spending.spend(2, of: rate, at: 5) == 200)
    }

    @Test func itGrowsBackAtTheRateAndNoFurther() {
        var spending = Spending()
        _ = spending.spend(20, of: rate, at: 0)
        #expect(spending.spend(1, of: rate, at: 99) == 1)
        #expect(spending.spend(1, of: rate, at: 100) == nil)
        #expect(spending.spend(20, of: rate, at: 1_000_000) == nil)
        #expect(spending.spend(1, of: rate, at: 1_000_000) == 100)
    }

    @Test func waitingAsLongAsAskedIsEnough() {
        var spending = Spending()
        _ = spending.spend(13, of: rate, at: 0)
        let wait = spending.spend(15, of: rate, at: 7) ?? 0
        #expect(spending.spend(15, of: rate, at: 7 + wait - 1) == 1)
        #expect(spending.spend(15, of: rate, at: 7 + wait) == nil)
    }

    @Test func noPriceIsHigherThanAFullAllowance() {
        var spending = Spending()
        #expect(spending.spend(1_000, of: rate, at: 0) == nil)
        #expect(spending.spend(1_000, of: rate, at: 1_999) == 1)
        #expect(spending.spend(1_000, of: rate, at: 2_000) == nil)
    }

    @Test func aDebtIsAtMostAFullAllowance() {
        var spending = Spending()
        for _ in 0..<100 { spending.charge(1_000, of: rate, at: 0) }
        #expect(spending.spend(1, of: rate, at: 2_000) == 100)
        #expect(spending.spend(1, of: rate, at: 2_100) == nil)
    }

    @Test func theLongestWaitDoesNotOverflow() {
        let hourly = Spending.Rate(hourly: 10_000_000)
        var spending = Spending()
        #expect(spending.spend(10_000_000, of: hourly, at: 0) == nil)
        #expect(spending.spend(10_000_000, of: hourly, at: 0) == 3_600_000)
        #expect(spending.spend(10_000_000, of: hourly, at: Int64.max) == nil)
    }
}
