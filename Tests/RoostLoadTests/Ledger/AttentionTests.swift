import Testing

@testable import RoostLoad

/// A harness that couldn't look blames no one for what it didn't see.
@Suite struct AttentionTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start: UInt64 = 100 * second

    private func looking(until seconds: ClosedRange<Double>...) -> Attention {
        let attention = Attention()
        for span in seconds {
            for step in Int(span.lowerBound * 10)...Int(span.upperBound * 10) {
                attention.looks(at: Self.start + UInt64(step) * Self.second / 10)
            }
        }
        return attention
    }

    private func at(_ seconds: Double) -> UInt64 { Self.start + UInt64(seconds * 1e9) }

    @Test func onlyWhatIsLongerThanABlinkIsMissed() {
        #expect(looking(until: 0...10).missed(since: 0, until: at(10)) == 0)
        #expect(looking(until: 0...1, 1.2...10).missed(since: 0, until: at(10)) == 0)
        // From 1 to 4 s, less the 0.1 s after which it would have looked anyway.
        let paused = looking(until: 0...1, 4...10)
        #expect(paused.missed(since: at(0), until: at(10)) == 2_900_000_000)
        #expect(paused.missed(since: at(3), until: at(10)) == 1_000_000_000)
        #expect(paused.missed(since: at(0), until: at(2)) == 900_000_000)
        #expect(paused.missed(since: at(4), until: at(10)) == 0)
        #expect(paused.missed(since: at(10), until: at(0)) == 0)
    }

    @Test func theLatestGapsAreRemembered() {
        let attention = Attention()
        for step in 0...UInt64(Attention.gapsMax) + 10 { attention.looks(at: Self.start + step * Self.second) }
        let missed = attention.missed(since: 0, until: .max)
        #expect(missed == UInt64(Attention.gapsMax) * 900_000_000)
    }

    /// A user leaves at 1 s, the harness stands still from then to 4 s, and reads at 4.2 s that the user is gone.
    @Test func aPauseMakesNoGhost() {
        let attention = looking(until: 0...1)
        let ledger = PresenceLedger(users: 1, grace: 0, attention: attention)
        let pair = ledger.addPair(of: 0)
        ledger.began(pair, at: at(0))
        ledger.connected(0, device: 0, at: at(0))
        _ = ledger.shown(pair, .online, at: at(0))
        ledger.left(0, device: 0, isClean: true, at: at(1))
        attention.looks(at: at(4))
        ledger.sweep(at(4))
        attention.looks(at: at(4.2))
        _ = ledger.shown(pair, .offline, at: at(4.2))
        ledger.sweep(at(9))
        #expect(ledger.faults == FaultCounts())
    }

    /// After the pause a lie lasts no longer than before.
    @Test func aPauseHidesNoGhost() {
        let attention = looking(until: 0...1)
        let ledger = PresenceLedger(users: 1, grace: 0, attention: attention)
        let pair = ledger.addPair(of: 0)
        ledger.began(pair, at: at(0))
        ledger.connected(0, device: 0, at: at(0))
        _ = ledger.shown(pair, .online, at: at(0))
        ledger.left(0, device: 0, isClean: true, at: at(1))
        attention.looks(at: at(4))
        ledger.sweep(at(4))
        #expect(ledger.faults[.ghost] == 0)
        for step in 41...70 {
            attention.looks(at: at(Double(step) / 10))
            ledger.sweep(at(Double(step) / 10))
        }
        #expect(ledger.faults[.ghost] == 1)
    }

    @Test func aPauseMakesNobodyTypeForTooLong() {
        let attention = looking(until: 0...1)
        let ledger = TypingLedger(life: 3 * Self.second, attention: attention)
        ledger.typed(0, in: 0, at: at(1))
        _ = ledger.shown(0, by: Membership(1), 0, isActive: true, at: at(1))
        attention.looks(at: at(7))
        ledger.sweep(at(7))
        #expect(ledger.shown(0, by: Membership(1), 0, isActive: false, at: at(7)) == nil)
        #expect(ledger.faults == FaultCounts())
    }
}
