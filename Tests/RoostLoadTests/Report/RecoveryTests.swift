import Testing

@testable import RoostLoad

/// When a run has recovered from what disturbed it.
@Suite struct RecoveryTests {
    /// A run whose seconds from 0 on have these p99 in milliseconds; 0: nothing was delivered.
    private func report(
        _ p99: [UInt64], _ disturbances: [RunResult.Disturbance]
    ) throws -> Report {
        var run = try SampleRun(seconds: p99.count)
        run.result.timeline = try p99.enumerated().map { index, value in
            var second = RunResult.Second(second: index)
            if value > 0 { second.delivery = try SampleRun.distribution([value * 1_000_000: 100]) }
            return second
        }
        run.result.disturbances = disturbances
        return run.report
    }

    private func storm(at: Double, welcomed: Double, live: Double) -> RunResult.Disturbance {
        .init(kind: .storm, at: at, end: at, sessions: 10, welcomed: welcomed, live: live)
    }

    @Test func itCountsFromTheLastWelcomeToTheFirstOfThreeGoodSeconds() throws {
        // Before: 20 ms, so up to 30 ms is good. Everybody was welcome at 3.5 s.
        let seconds: [UInt64] = [20, 20, 20, 900, 800, 30, 31, 30, 29, 28, 500]
        let report = try report(seconds, [storm(at: 3, welcomed: 0.5, live: 0.25)])
        #expect(report.figure(named: "recovery_seconds") == 3.5)
        #expect(report.figure(named: "live_seconds") == 0.25)
        #expect(report.figure(named: "storm_seconds") == 0.5)
    }

    @Test func nobodyHasRecoveredWhoIsNotLive() throws {
        let seconds: [UInt64] = [20, 20, 20, 20, 20, 20, 20, 20]
        #expect(try report(seconds, [storm(at: 3, welcomed: 0, live: 4)]).figure(named: "recovery_seconds") == 4)
        let never = try report(seconds, [storm(at: 3, welcomed: 0, live: .infinity)])
        #expect(never.figure(named: "recovery_seconds") == .infinity)
        #expect(never.figure(named: "live_seconds") == .infinity)
    }

    @Test func latencyThatStaysHighIsNoRecovery() throws {
        let bad: [UInt64] = [20, 20, 20, 31, 31, 31, 31, 31]
        #expect(try report(bad, [storm(at: 3, welcomed: 0, live: 0)]).figure(named: "recovery_seconds") == .infinity)
        // Nor are two good seconds, nor seconds in which nothing came.
        let chance: [UInt64] = [20, 20, 20, 31, 20, 20, 31, 0, 0, 0]
        #expect(try report(chance, [storm(at: 3, welcomed: 0, live: 0)]).figure(named: "recovery_seconds") == .infinity)
    }

    @Test func belowTenMillisecondsIsFastEnough() throws {
        let seconds: [UInt64] = [1, 1, 1, 15, 15, 15]
        #expect(try report(seconds, [storm(at: 3, welcomed: 0, live: 0)]).figure(named: "recovery_seconds") == 0)
        let slower: [UInt64] = [1, 1, 1, 16, 16, 16]
        #expect(
            try report(slower, [storm(at: 3, welcomed: 0, live: 0)]).figure(named: "recovery_seconds") == .infinity)
    }

    @Test func theSlowestOfSeveralCountsAndEachEndsBeforeTheNext() throws {
        let seconds: [UInt64] = [20, 20, 20, 20, 20, 20, 90, 90, 20, 20, 20]
        let both = [storm(at: 2, welcomed: 0, live: 0), storm(at: 6, welcomed: 0, live: 0)]
        #expect(try report(seconds, both).figure(named: "recovery_seconds") == 2)
        // The first has only two seconds until the next one begins.
        let close = [storm(at: 2, welcomed: 0, live: 0), storm(at: 4, welcomed: 0, live: 0)]
        #expect(try report(seconds, close).figure(named: "recovery_seconds") == .infinity)
    }

    @Test func withoutADisturbanceOrALoadBeforeItThereIsNone() throws {
        #expect(try report([20, 20], []).figure(named: "recovery_seconds") == nil)
        #expect(try report([20, 20], [storm(at: 0, welcomed: 0, live: 0)]).figure(named: "recovery_seconds") == nil)
    }

    @Test func aRunThatNeverRecoversSaysSo() throws {
        var report = try report([20, 20, 20, 90, 90, 90], [storm(at: 3, welcomed: 0, live: 0)])
        report.scenario.thresholds = [Threshold(figure: "recovery_seconds", bound: 10)]
        report.judge()
        #expect(report.verdict == .broken)
        #expect(report.reasons == ["recovery_seconds has no end, at most 10 was allowed."])
        let text = TerminalReport.text(for: report, width: 100, colour: false)
        #expect(text.contains("storm, no back-off"))
        #expect(text.split(separator: "\n").contains { $0.hasPrefix("storm, no back-off") && $0.hasSuffix("never") })
    }
}
