import Testing

@testable import RoostLoad

/// Each figure, compared with a calculation by hand on small numbers.
@Suite struct FigureTests {
    private func run(_ change: (inout SampleRun) throws -> Void) throws -> Report {
        var run = try SampleRun(seconds: 2, rate: 20)
        try change(&run)
        return run.report
    }

    @Test func latenciesAreCorrectedAndInMilliseconds() throws {
        let report = try run {
            $0.result.corrected[.ack] = try SampleRun.distribution([1_000_000: 90, 5_000_000: 9, 250_000_000: 1])
            $0.result.uncorrected[.ack] = try SampleRun.distribution([1: 100])
        }
        #expect(report.figure(named: "ack_p50_ms") == 1)
        #expect(report.figure(named: "ack_p90_ms") == 1)
        #expect(report.figure(named: "ack_p99_ms") == 5)
        #expect(report.figure(named: "ack_p999_ms") == 250)
        #expect(report.figure(named: "ack_max_ms") == 250)
    }

    @Test func kindsWithTwoWordsAndBareNamesAreFound() throws {
        let report = try run {
            $0.result.corrected[.catchUp] = try SampleRun.distribution([2_000_000_000: 4])
            $0.result.corrected[.delivery] = try SampleRun.distribution([3_000_000: 1])
            $0.result.counts.caughtUpMessages = 500
        }
        #expect(report.figure(named: "catch_up_p99_ms") == 2_000)
        #expect(report.figure(named: "p99_ms") == 3)
        #expect(report.figure(named: "delivery_p99_ms") == 3)
        #expect(report.figure(named: "max_ms") == 3)
        #expect(report.figure(named: "catch_up_per_second") == 250)
    }

    @Test func ratesUseTheSecondsThatWereRun() throws {
        let report = try run {
            $0.result.seconds = 4
            $0.result.counts.due = 100
            $0.result.counts.delivered = 80
            $0.result.counts.acked = 60
        }
        #expect(report.figure(named: "deliveries_per_second") == 20)
        #expect(report.figure(named: "acks_per_second") == 15)
    }

    @Test func ifNothingArrivedTheRateIsZero() throws {
        let report = try run {
            $0.result.counts.delivered = 0
            $0.result.counts.acked = 0
        }
        #expect(report.figure(named: "deliveries_per_second") == 0)
        #expect(report.figure(named: "acks_per_second") == 0)
        let signals = try run {
            $0.result.counts.acked = 0
            $0.scenario.messages?.mode = .signal
        }
        #expect(signals.figure(named: "acks_per_second") == nil)
    }

    @Test func costsStormsAndCounts() throws {
        let report = try run {
            $0.cost?.rssConnected = 10_240
            $0.cost?.rssEnd = 12_288
            $0.cost?.bytesPerSession = 3_072
            $0.cost?.microsecondsPerDelivery = 4.5
            $0.result.errors = ["one": 2, "other": 3]
            $0.result.counts.lostConnections = 7
            $0.result.counts.missedSignals = 8
            $0.result.disturbances = [(1.5, 4.0), (2.5, 3)].map {
                .init(kind: .storm, at: 1, end: 1, sessions: 1, welcomed: $0.0, live: $0.1)
            }
            $0.result.disturbances.append(.init(kind: .kill, at: 5, end: 5, sessions: 1, welcomed: 9, live: 2))
            $0.result.counts.delayed = 11
            $0.result.counts.unsent = 12
            ($0.result.counts.presences, $0.result.counts.presenceFrames) = (8, 2)
            $0.result.faults.count(.nonMember, times: 9, "a stranger")
        }
        #expect(report.figure(named: "rss_growth_mib") == 2)
        #expect(report.figure(named: "kib_per_session") == 3)
        #expect(report.figure(named: "cpu_us_per_delivery") == 4.5)
        #expect(report.figure(named: "errors") == 5)
        #expect(report.figure(named: "lost_connections") == 7)
        #expect(report.figure(named: "missed_signals") == 8)
        #expect(report.figure(named: "storm_seconds") == 2.5)
        #expect(report.figure(named: "live_seconds") == 4)
        #expect(report.figure(named: "delayed") == 11)
        #expect(report.figure(named: "unsent") == 12)
        #expect(report.figure(named: "presence_frames") == 2)
        #expect(report.figure(named: "frames_per_presence") == 0.25)
        #expect(report.figure(named: "non_member") == 9)
        #expect(report.figure(named: "lost") == 0)
    }

    @Test func everyNamedFigureIsKnownWhenAllWasMeasured() throws {
        let report = try run {
            for kind in LatencyKind.allCases { $0.result.corrected[kind] = try SampleRun.distribution([1_000_000: 1]) }
            $0.result.counts.caughtUpMessages = 1
            $0.result.counts.presences = 1
            $0.result.disturbances = [.init(kind: .storm, at: 5, end: 5, sessions: 1, welcomed: 1, live: 1)]
        }
        for figure in Figure.all { #expect(report.figure(named: figure.name) != nil, "\(figure.name)") }
    }

    @Test(arguments: ["", "p99", "_ms", "ms", "p98_ms", "delivery_p98_ms", "nobody_p99_ms", "delivery__ms", "loss"])
    func otherNamesAreNoFigures(name: String) throws {
        #expect(try run { _ in }.figure(named: name) == nil)
    }

    @Test func unmeasuredFiguresAreNil() throws {
        let report = try run {
            $0.cost = nil
            $0.result.corrected = [.typing: Distribution()]
            $0.result.counts.due = 0
        }
        let names = [
            "typing_p50_ms", "delivery_p50_ms", "kib_per_session", "cpu_us_per_delivery", "rss_growth_mib",
            "storm_seconds", "deliveries_per_second", "acks_per_second", "catch_up_per_second",
        ]
        for name in names { #expect(report.figure(named: name) == nil, "\(name)") }
    }
}
