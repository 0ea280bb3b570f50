import Testing

@testable import RoostLoad

/// Each rule for the harness, at its bound and just above it.
@Suite struct ValidityTests {
    private func reasons(_ change: (inout RunResult) throws -> Void) throws -> [String] {
        var result = RunResult()
        result.seconds = 10
        result.counts.due = 1_000
        result.counts.sent = 1_000
        try change(&result)
        return Validity.reasons(of: result)
    }

    @Test func aHarnessThatKeptUpIsValid() throws {
        #expect(try reasons { _ in }.isEmpty)
    }

    @Test func lateness() throws {
        let fit = try SampleRun.distribution([10_000_000: 990, 900_000_000: 10])
        #expect(try reasons { $0.health.lateness = fit }.isEmpty)
        let unfit = try SampleRun.distribution([10_000_000: 989, 10_000_001: 11])
        #expect(try reasons { $0.health.lateness = unfit }.count == 1)
    }

    @Test func longTurnsCountByTime() throws {
        // One turn of 100 ms in 10 s is 1 %, however few or many the others are.
        let fit = try SampleRun.distribution([1_000_000: 2_000, 100_000_000: 1])
        #expect(try reasons { $0.health.turns = fit }.isEmpty)
        let unfit = try SampleRun.distribution([1_000_000: 2_000, 101_000_000: 1])
        #expect(try reasons { $0.health.turns = unfit }.count == 1)
        let idle = try SampleRun.distribution([100_000_000: 1])
        #expect(try reasons { $0.health.turns = idle }.isEmpty)
        let notLong = try SampleRun.distribution([20_000_000: 400])
        #expect(try reasons { $0.health.turns = notLong }.isEmpty)
        let long = try SampleRun.distribution([20_000_001: 100])
        #expect(try reasons { $0.health.turns = long }.count == 1)
    }

    @Test func shares() throws {
        #expect(try reasons { $0.health.cpuShare = 0.95 }.isEmpty)
        #expect(try reasons { $0.health.cpuShare = 0.951 }.count == 1)
        #expect(try reasons { $0.health.waitShare = 0.25 }.isEmpty)
        #expect(try reasons { $0.health.waitShare = 0.251 }.count == 1)
        #expect(try reasons { $0.health.cpuShare = .nan }.count == 1)
    }

    @Test func unsentMessages() throws {
        #expect(try reasons { $0.counts.sent = 970 }.isEmpty)
        #expect(
            try reasons { $0.counts.sent = 969 } == [
                "The harness did not keep up: the share of messages sent of those due was 96.9 %; "
                    + "at least 97.0 % is sound."
            ])
        #expect(try reasons { $0.counts = RunResult.Counts() }.isEmpty)
    }
}
