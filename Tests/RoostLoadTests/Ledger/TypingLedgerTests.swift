import SeededRandom
import Testing

@testable import RoostLoad

/// User 5 types in conversation 0, and member 1 watches. Times are in seconds; typing lasts 3.
@Suite struct TypingLedgerTests {
    let ledger = TypingLedger(life: 3_000_000_000)
    let watcher = Membership(index: 1)

    private func at(_ seconds: Double) -> UInt64 { UInt64(seconds * 1_000_000_000) }
    private func type(_ seconds: Double, _ user: Int = 5) { ledger.typed(user, in: 0, at: at(seconds)) }
    private func end(_ seconds: Double) { ledger.ended(5, in: 0, at: at(seconds)) }
    private func show(_ isActive: Bool, _ seconds: Double, _ user: Int = 5) -> UInt64? {
        ledger.shown(0, by: watcher, user, isActive: isActive, at: at(seconds))
    }
    private var stuck: UInt64 { ledger.faults[.stuckTyping] }

    @Test func theBeginningIsTimedAndTheEndIsNot() {
        type(10)
        #expect(show(true, 10.25) == at(0.25))
        #expect(show(true, 10.5) == nil)
        type(12)
        #expect(show(false, 15.1) == nil)
        type(20)
        #expect(show(true, 20.5) == at(0.5))
        ledger.sweep(at(25))
        #expect(stuck == 0)
    }

    @Test func typingShownAfterItsEndIsStuckOnce() {
        type(10)
        _ = show(true, 10.1)
        ledger.sweep(at(15))
        #expect(stuck == 0)
        ledger.sweep(at(15.1))
        ledger.sweep(at(50))
        #expect(show(false, 60) == nil)
        #expect(stuck == 1)
        type(70)
        _ = show(true, 70.1)
        ledger.sweep(at(80))
        #expect(stuck == 2)
    }

    @Test func aLateEndIsFoundWithoutASweep() {
        type(10)
        _ = show(true, 10.1)
        _ = show(false, 15.5)
        #expect(stuck == 1)
    }

    @Test func aRefreshExtendsTyping() {
        type(10)
        _ = show(true, 10.1)
        for second in [12.0, 14, 16] {
            type(second)
            ledger.sweep(at(second + 1.9))
        }
        ledger.sweep(at(21))
        #expect(stuck == 0)
        ledger.sweep(at(21.1))
        #expect(stuck == 1)
    }

    @Test func typingThatNeverBeganIsStuckAtOnce() {
        #expect(show(true, 10) == nil)
        #expect(stuck == 1)
        #expect(show(false, 11) == nil)
        type(20)
        #expect(show(true, 30, 6) == nil)
        #expect(show(true, 40) == nil)
        #expect(stuck == 3)
    }

    @Test func aViewEndsWithTheWatchersSession() {
        type(10)
        _ = show(true, 10.1)
        ledger.left(watcher)
        ledger.sweep(at(50))
        type(60)
        #expect(show(true, 60.1) == at(0.1))
        ledger.sweep(at(62))
        #expect(stuck == 0)
    }

    @Test func anOptionalBeginningIsNotTimed() {
        type(10)
        _ = show(true, 10.1)
        end(10.5)
        _ = show(false, 10.6)
        type(10.8)
        type(12)
        #expect(show(true, 12.1) == nil)
        end(13)
        _ = show(false, 13.1)
        type(15)
        #expect(show(true, 15.1) == at(0.1))
    }

    @Test func aRefreshAtTheVeryEndIsNotTimed() {
        type(10)
        _ = show(true, 10.1)
        type(12.9)
        _ = show(false, 13.1)
        #expect(show(true, 13.2) == nil)
        #expect(stuck == 0)
    }

    @Test func manyTypingAtOnceNeedNotAllBeShown() {
        for user in 0..<30 { type(10, user) }
        #expect(show(true, 10.1, 0) == at(0.1))
        #expect(show(true, 10.1, 29) == nil)
        ledger.sweep(at(13))
        type(20, 29)
        _ = show(false, 20, 29)
        #expect(show(true, 20.1, 29) == at(0.1))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func aCorrectRelayHasNoFaultAndAStuckOneHas(_ seed: UInt64) {
        for isStuck in [false, true] {
            let ledger = TypingLedger(life: 3_000_000_000)
            var dice = SeededGenerator(seed: seed)
            var until: [Int: Double] = [:]
            var shown: Set<Int> = []
            for tick in 0..<6_000 {
                let now = Double(tick) / 20
                let user = dice.below(4)
                if dice.chance(4), now < 290 {
                    ledger.typed(user, in: 0, at: at(now))
                    until[user] = now + 3
                } else if dice.chance(1) {
                    ledger.ended(user, in: 0, at: at(now))
                    until[user] = nil
                }
                for user in 0..<4 {
                    let isActive = until[user].map { $0 > now } ?? false
                    guard isActive != shown.contains(user), isActive || !isStuck || user != 0 else { continue }
                    if isActive { shown.insert(user) } else { shown.remove(user) }
                    _ = ledger.shown(0, by: watcher, user, isActive: isActive, at: at(now + 0.04))
                }
                ledger.sweep(at(now))
            }
            #expect(Set(ledger.faults.counts.keys) == (isStuck ? [.stuckTyping] : []))
        }
    }
}
