import Testing

@testable import RoostServices

/// Secrets that are good once, for a while.
struct OneTimeTableTests {
    @Test("Each is good once, and no longer than its time")
    func life() {
        var table = OneTimeTable<Int>(seconds: 10, most: 100)
        table.insert(1, [1], now: 0)
        #expect(table.take([1], now: 9_999) == 1)
        #expect(table.take([1], now: 9_999) == nil)
        table.insert(2, [2], now: 0)
        #expect(table.take([2], now: 10_000) == nil)
        table.insert(3, [3], now: 20_000)
        // The clock was set back.
        #expect(table.take([3], now: 9_999) == nil)
        table.insert(4, [4], now: 9_000, expires: 10_000)
        #expect(table.take([4], now: 10_000) == nil)
    }

    @Test("Beyond the bound the oldest goes, and before it what is too old")
    func bound() {
        var table = OneTimeTable<Int>(seconds: 10, most: 3)
        for number in UInt8(1)...4 { table.insert(Int(number), [number], now: Int64(number)) }
        #expect(table.count == 3)
        #expect(table.take([1], now: 5) == nil)
        #expect(table.take([2], now: 5) == 2)
        table.insert(5, [5], now: 10_003)
        table.insert(6, [6], now: 10_004)
        #expect(table.count == 2)
        table.deleteOld(now: 100_000)
        #expect(table.count == 0)
    }
}
