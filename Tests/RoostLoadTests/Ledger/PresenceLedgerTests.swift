import Testing

@testable import RoostLoad

/// User 0 with devices 0 and 1, watched by one pair since the beginning. Times in seconds; the grace is 15.
@Suite struct PresenceLedgerTests {
    let ledger = PresenceLedger(users: 2, grace: 15_000_000_000)
    let pair: Int

    init() {
        pair = ledger.addPair(of: 0)
        ledger.began(pair, at: 0)
        _ = ledger.shown(pair, .offline, at: 0)
    }

    private func at(_ seconds: Double) -> UInt64 { UInt64(seconds * 1_000_000_000) }
    private func come(_ seconds: Double, device: Int = 0) { ledger.connected(0, device: device, at: at(seconds)) }
    private func go(_ seconds: Double, device: Int = 0) {
        ledger.left(0, device: device, isClean: true, at: at(seconds))
    }
    private func drop(_ seconds: Double, device: Int = 0, earliest: Double? = nil) {
        ledger.left(0, device: device, isClean: false, at: at(seconds), earliest: earliest.map(at))
    }
    private func show(_ state: ShownPresence, _ seconds: Double) -> UInt64? {
        ledger.shown(pair, state, at: at(seconds))
    }
    private func sweep(_ seconds: Double) { ledger.sweep(at(seconds)) }
    private func expect(_ counts: [Fault: UInt64], location: SourceLocation = #_sourceLocation) {
        #expect(ledger.faults.counts == counts, sourceLocation: location)
    }

    @Test func comingAndGoingIsTimed() {
        come(10)
        #expect(show(.online, 10.25) == at(0.25))
        #expect(show(.online, 10.5) == nil)
        #expect(show(.away, 11) == nil)
        go(20)
        #expect(show(.offline, 20.5) == at(0.5))
        come(30)
        drop(40)
        sweep(54)
        #expect(show(.online, 30.5) != nil)
        #expect(show(.offline, 55.5) == at(0.5))
        sweep(100)
        expect([:])
    }

    @Test func aSnapshotIsNotTimed() {
        come(1)
        go(2)
        come(3)
        ledger.began(pair, at: at(5))
        #expect(show(.online, 5.1) == nil)
        go(6)
        ledger.began(pair, at: at(7))
        #expect(show(.offline, 7.1) == nil)
        expect([:])
    }

    @Test func aPresentUserShownAsGoneIsAbsentOnce() {
        come(10)
        sweep(12)
        expect([:])
        sweep(12.1)
        expect([.absent: 1])
        sweep(100)
        expect([.absent: 1])
        #expect(show(.online, 101) == at(91))
        #expect(show(.offline, 102) == nil)
        expect([.absent: 2])
    }

    @Test func aGoneUserShownAsPresentIsAGhostOnce() {
        come(10)
        _ = show(.online, 10.1)
        go(20)
        sweep(22)
        expect([:])
        sweep(22.1)
        sweep(50)
        expect([.ghost: 1])
        #expect(show(.offline, 60) == at(40))
        sweep(100)
        #expect(show(.online, 101) == nil)
        expect([.ghost: 2])
    }

    @Test func lateNewsIsFoundWithoutASweep() {
        come(10)
        _ = show(.online, 12.5)
        go(20)
        _ = show(.offline, 22.5)
        expect([.absent: 1, .ghost: 1])
    }

    @Test func aDroppedUserCountsAsPresentForTheGrace() {
        come(10)
        _ = show(.online, 10.1)
        drop(20)
        sweep(36.9)
        expect([:])
        sweep(37.1)
        expect([.ghost: 1])
    }

    @Test func aDroppedUserShownAsGoneTooEarlyIsAbsent() {
        come(10)
        _ = show(.online, 10.1)
        drop(20)
        #expect(show(.offline, 21) == nil)
        expect([.absent: 1])
        come(22)
        _ = show(.online, 22.1)
        sweep(100)
        expect([.absent: 1])
    }

    @Test func returningWithinTheGraceChangesNothing() {
        come(10)
        _ = show(.online, 10.1)
        drop(20)
        come(30)
        sweep(200)
        expect([:])
        #expect(show(.online, 201) == nil)
        #expect(show(.offline, 202) == nil)
        // The arrival that it reports was measured at 10.1.
        #expect(show(.online, 203) == nil)
        expect([.absent: 1])
    }

    @Test func atTheEndOfTheGraceEitherIsRight() {
        come(10)
        _ = show(.online, 10.1)
        drop(20)
        #expect(show(.offline, 34.5) == nil)
        come(34.8)
        sweep(36)
        #expect(show(.online, 36) == at(1.2))
        sweep(100)
        expect([:])
    }

    @Test func aDropNoticedLateIsJudgedByItsEarliestTime() {
        come(10)
        _ = show(.online, 10.1)
        drop(40, earliest: 20)
        #expect(show(.offline, 41) == nil)
        sweep(100)
        expect([:])
    }

    @Test func theLastDeviceDecides() {
        come(10)
        come(11, device: 1)
        #expect(show(.online, 10.1) == at(0.1))
        go(20)
        sweep(30)
        expect([:])
        drop(40, device: 1)
        come(41)
        go(42)
        // The grace of the other device continues.
        sweep(54)
        expect([:])
        #expect(show(.offline, 55.25) == at(0.25))
        expect([:])
    }

    @Test func aDeviceThatComesBackEndsItsGrace() {
        come(10)
        drop(11)
        come(12)
        #expect(show(.online, 12) == at(2))
        go(13)
        #expect(show(.offline, 13.5) == at(0.5))
    }

    @Test func aWatchThatBeginsLaterIsJudgedFromThen() {
        come(10)
        sweep(11)
        ledger.began(pair, at: at(50))
        sweep(52)
        expect([:])
        sweep(52.1)
        expect([.absent: 1])
        #expect(ledger.faults.descriptions[.absent] == ["user 0 is there and not shown, to the watcher of pair 0"])
    }

    @Test func pairsThatDoNotWatchAreNotJudged() {
        ledger.ended(pair)
        come(10)
        sweep(100)
        #expect(show(.offline, 101) == nil)
        expect([:])
    }

    @Test func nothingIsJudgedWhileTheCallerIsUnsure() {
        come(10)
        _ = show(.online, 10.1)
        ledger.unsure(of: 0)
        #expect(show(.offline, 60) == nil)
        sweep(100)
        expect([:])
        drop(110, earliest: 20)
        come(111)
        sweep(113)
        expect([:])
        sweep(114)
        expect([.absent: 1])
    }

    /// The news may overtake the `welcome`, which is read from another socket.
    @Test func whoIsAboutToComeMayBeShownAlready() {
        come(10)
        _ = show(.online, 10.1)
        go(20)
        _ = show(.offline, 20.1)
        ledger.isComing(0, at: at(30))
        _ = show(.online, 30.1)
        sweep(30.2)
        come(30.3)
        expect([:])
        // The presence of no user becomes unsure.
        ledger.isComing(0, at: at(31))
        go(40)
        _ = show(.offline, 40.1)
        _ = show(.online, 50)
        sweep(50.1)
        expect([.ghost: 1])
    }

    @Test func aSweepChecksOnlyWhatChanged() {
        come(10)
        _ = show(.online, 10.1)
        sweep(13)
        #expect(ledger.due.count == 0)
        for second in 20..<60 {
            drop(Double(second))
            come(Double(second) + 0.5)
        }
        #expect(ledger.due.count <= 2)
        sweep(1_000)
        #expect(ledger.due.count == 0)
        expect([:])
    }
}
