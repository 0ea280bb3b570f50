import Testing

@testable import RoostLoad

/// The verdict for each result, and its reasons.
@Suite struct JudgeTests {
    private func judged(_ change: (inout SampleRun) throws -> Void) throws -> Report {
        var run = try SampleRun(seconds: 2, rate: 20)
        run.scenario.thresholds = []
        try change(&run)
        return run.report
    }

    @Test func aRunWithoutFaultsHolds() throws {
        let report = try judged { $0.scenario.thresholds = [Threshold(figure: "p99_ms", bound: 1e6)] }
        #expect(report.verdict == .held)
        #expect(report.reasons.isEmpty)
        #expect(report.thresholds.map(\.holds) == [true])
    }

    @Test(arguments: [
        ("errors", 5.0, true), ("errors", 4.9, false), ("acks_per_second", 5, true), ("acks_per_second", 5.1, false),
    ])
    func aBoundItselfIsAllowed(figure: String, bound: Double, holds: Bool) throws {
        let report = try judged {
            $0.result.errors = ["busy": 5]
            $0.result.counts.acked = 10
            $0.scenario.thresholds = [Threshold(figure: figure, bound: bound)]
        }
        #expect(report.verdict == (holds ? .held : .broken))
        #expect(report.thresholds.first?.holds == holds)
        #expect(report.reasons.count == (holds ? 0 : 1))
        #expect(report.reasons.allSatisfy { $0.hasPrefix("\(figure) was 5, ") })
    }

    @Test func anUnmeasuredFigureBreaksItsThreshold() throws {
        let report = try judged { $0.scenario.thresholds = [Threshold(figure: "typing_p99_ms", bound: 100)] }
        #expect(report.verdict == .broken)
        #expect(report.thresholds.first?.actual == nil)
        #expect(report.reasons == ["typing_p99_ms was not measured, so its threshold does not hold."])
    }

    @Test func aThresholdOnNothingIsBroken() throws {
        let report = try judged { $0.scenario.thresholds = [Threshold(figure: "speed", bound: 1)] }
        #expect(report.verdict == .broken)
        #expect(report.reasons == ["There is no figure named speed, so its threshold does not hold."])
    }

    @Test(arguments: Fault.allCases) func aFaultBreaksTheRun(fault: Fault) throws {
        let report = try judged { $0.result.faults.count(fault, times: 2, "the first one") }
        #expect(report.verdict == (fault.isFailure ? .broken : .held))
        #expect(report.reasons.count == (fault.isFailure ? 1 : 0))
        #expect(report.reasons.allSatisfy { $0.contains("2 × ") && $0.hasSuffix("the first one") })
    }

    @Test func aLateHarnessOverridesThresholds() throws {
        let report = try judged {
            $0.result.health.cpuShare = 0.99
            $0.scenario.thresholds = [Threshold(figure: "p50_ms", bound: 0.001)]
        }
        #expect(report.verdict == .invalid)
        #expect(report.reasons.count == 2)
    }

    @Test func aLateHarnessDoesNotExcuseFaults() throws {
        let report = try judged {
            $0.result.health.cpuShare = 0.99
            $0.result.faults.count(.duplicated, "twice")
        }
        #expect(report.verdict == .broken)
        #expect(report.reasons.count == 2)
        #expect(report.reasons[1].contains("99.0 %"))
    }

    @Test func aRunThatWasCutShortCannotHold() throws {
        let report = try judged {
            $0.result.wasInterrupted = true
            $0.result.seconds = 1
        }
        #expect(report.verdict == .invalid)
        #expect(report.reasons == ["The run was cut short after 1 s of 2 s, so it cannot have held."])
    }

    @Test func aRunThatWasCutShortCanBreak() throws {
        let report = try judged {
            $0.result.wasInterrupted = true
            $0.scenario.thresholds = [Threshold(figure: "p50_ms", bound: 0.001)]
        }
        #expect(report.verdict == .broken)
        let missing = try judged {
            $0.result.wasInterrupted = true
            $0.scenario.thresholds = [Threshold(figure: "storm_seconds", bound: 1)]
        }
        #expect(missing.verdict == .invalid)
    }

    @Test func aRunThatFailedStaysFailed() throws {
        var report = Report.failed(
            "The relay did not start.", scenario: try SampleRun(seconds: 2, rate: 20).scenario,
            machine: SampleRun.machine, command: "roost-load run pairs", workers: 1, started: "2026-03-01T09:30:00Z")
        report.judge()
        #expect(report.verdict == .failed)
        #expect(report.reasons == ["The relay did not start."])
    }

    @Test func exitCodes() {
        let codes = [Report.Verdict.held, .broken, .failed, .invalid].map(\.rawValue)
        #expect(codes == [0, 1, 2, 3])
    }
}
