import Foundation
import Testing

@testable import RoostLoad

@Suite struct OutcomeTests {
    private func report(_ change: (inout RunResult) -> Void = { _ in }) -> Report {
        var scenario = Scenario(name: "one", about: "")
        scenario.thresholds = [Threshold(figure: "acks_per_second", bound: 1_000)]
        var result = RunResult()
        result.seconds = 10
        result.counts.due = 100
        result.counts.sent = 10
        result.health.cpuShare = 1
        change(&result)
        return Report(
            scenario: scenario, result: result, cost: nil, machine: .init(), command: "", workers: 1, started: "")
    }

    @Test func theWorstOfSeveral() {
        #expect(Report.Verdict.worst(of: []) == .held)
        #expect(Report.Verdict.worst(of: [.held, .held]) == .held)
        #expect(Report.Verdict.worst(of: [.held, .invalid]) == .invalid)
        #expect(Report.Verdict.worst(of: [.failed, .invalid, .held]) == .failed)
        #expect(Report.Verdict.worst(of: [.failed, .broken, .invalid]) == .broken)
    }

    @Test func judgingOnlyCorrectnessIgnoresThresholdsAndLateness() {
        var report = report()
        #expect(report.verdict != .held)
        report.judgeOnlyCorrectness()
        #expect(report.verdict == .held)
        #expect(report.reasons.isEmpty)
        #expect(report.thresholds.isEmpty)
        // The measured figures stay.
        #expect(report.result.health.cpuShare == 1)
        #expect(report.result.counts.due == 100)
    }

    @Test func judgingOnlyCorrectnessStillSeesFaults() {
        var report = report { $0.faults.count(.lost, "message 1") }
        report.judgeOnlyCorrectness()
        #expect(report.verdict == .broken)
        #expect(report.reasons.count == 1)
    }

    @Test func aRunCutShortDoesNotHold() {
        var report = report { $0.wasInterrupted = true }
        report.judgeOnlyCorrectness()
        #expect(report.verdict == .invalid)
    }

    @Test func aRelayThatEndsBreaksTheRun() {
        var report = report()
        report.judgeOnlyCorrectness()
        report.noteRelayEnd("signal 11")
        #expect(report.verdict == .broken)
        #expect(report.reasons == ["The relay ended unexpectedly with signal 11"])
    }

    @Test func aRunThatCannotBeginFails() {
        var options = RunOptions()
        options.roost = "/nowhere/roost"
        let report = Runner(Scenario(name: "one", about: ""), options).run()
        #expect(report.verdict == .failed)
        #expect(report.reasons == ["/nowhere/roost: not a program"])
    }

    @Test func refusesToMeasureAMissingProcess() {
        var options = RunOptions()
        options.url = "ws://127.0.0.1:1/v1/socket"
        options.keyFile = "/nowhere/key"
        options.pid = .max
        let report = Runner(Scenario(name: "one", about: ""), options).run()
        #expect(report.verdict == .failed)
        #expect(report.reasons == ["there is no process \(Int32.max) to measure"])
    }

    @Test func theCommandCanBeRepeated() {
        var options = RunOptions()
        options.url = "ws://127.0.0.1:1/v1/socket"
        options.keyFile = "/a b/it's"
        options.metricsToken = "secret"
        options.users = 7
        options.rate = 2.5
        options.isPinned = true
        #expect(
            options.command(running: "one")
                == "roost-load run one --url ws://127.0.0.1:1/v1/socket --key-file '/a b/it'\\''s' "
                + "--users 7 --rate 2.5 --pin"
        )
        options = RunOptions()
        options.settings = ["metrics.token=secret", "limits.members_max=9"]
        #expect(!options.command(running: "one").contains("secret"))
        #expect(options.command(running: "one").hasSuffix("--set limits.members_max=9"))
    }

    @Test func filesGoIntoTheChosenFolder() throws {
        let time = Date(timeIntervalSince1970: 0)
        #expect(OutputFolder.path(for: "a", asked: "out", several: false) == "out")
        #expect(OutputFolder.path(for: "a", asked: "out", several: true) == "out/a")
        let folder = try PrivateFolder.make()
        defer { PrivateFolder.remove(folder) }
        #expect(
            OutputFolder.path(for: "a", asked: nil, several: true, now: time, current: folder)
                == "roost-load-results/a-19700101T000000Z")
        try OutputFolder.make("\(folder)/LoadTests/Scenarios")
        #expect(
            OutputFolder.path(for: "a", asked: nil, several: true, now: time, current: folder)
                == "LoadTests/Results/a-19700101T000000Z")
    }
}
