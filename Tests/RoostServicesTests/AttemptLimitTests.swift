import Testing

@testable import RoostServices

/// The bound on failed attempts.
struct AttemptLimitTests {
    private let ann: [UInt8] = [1]
    private let bob: [UInt8] = [2]

    @Test func theSixthFailureWaitsForTheFirstToBeOld() {
        var limit = AttemptLimit(attemptsMax: 5, seconds: 900, keysMax: 100)
        for second in 0..<5 { #expect(limit.admit(ann, now: Int64(second) * 1_000) == nil) }
        #expect(limit.admit(ann, now: 5_000) == 895)
        // Refused ones don't count, and no other client is refused.
        #expect(limit.admit(ann, now: 899_001) == 1)
        #expect(limit.admit(bob, now: 899_001) == nil)
        #expect(limit.admit(ann, now: 900_000) == nil)
        #expect(limit.admit(ann, now: 900_500) == 1)
    }

    @Test func successfulAttemptsAreGivenBack() {
        var limit = AttemptLimit(attemptsMax: 1, seconds: 900, keysMax: 100)
        for _ in 0..<10_000 {
            #expect(limit.admit(ann, now: 1) == nil)
            limit.giveBack(ann)
        }
        #expect(limit.count == 0)
        #expect(limit.admit(ann, now: 2) == nil)
        #expect(limit.admit(ann, now: 2) != nil)
        limit.forget(ann)
        #expect(limit.admit(ann, now: 2) == nil)
    }

    @Test func theTableIsBoundedAndForgetsTheOldest() {
        var limit = AttemptLimit(attemptsMax: 1, seconds: 900, keysMax: 10)
        for number in 0..<100 { #expect(limit.admit([UInt8(number)], now: Int64(number)) == nil) }
        #expect(limit.count == 10)
        #expect(limit.admit([99], now: 100) != nil)
        #expect(limit.admit([0], now: 100) == nil)
    }

    @Test func oldAttemptsAreForgotten() {
        var limit = AttemptLimit(attemptsMax: 5, seconds: 900, keysMax: 1_000)
        for number in 0..<1_000 { _ = limit.admit([UInt8(number % 250), UInt8(number / 250)], now: 0) }
        #expect(limit.count == 1_000)
        _ = limit.admit(ann, now: 900_000)
        #expect(limit.count == 1)
    }

    @Test func aClockThatIsSetBackLocksNobodyOut() {
        var limit = AttemptLimit(attemptsMax: 1, seconds: 900, keysMax: 10)
        #expect(limit.admit(ann, now: 1_000_000_000) == nil)
        #expect(limit.admit(ann, now: 0) == nil)
    }
}
