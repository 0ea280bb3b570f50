import Testing

@testable import RoostLoad

/// Two runs next to each other.
@Suite struct ComparisonTests {
    private func run(_ change: (inout SampleRun) throws -> Void = { _ in }) throws -> SampleRun {
        var run = try SampleRun(seconds: 2, rate: 20)
        try change(&run)
        return run
    }

    private func row(_ name: String, _ first: SampleRun, _ second: SampleRun) -> Comparison.Row? {
        Comparison(first.report, second.report).rows.first { $0.figure == name }
    }

    @Test func aRunIsTheSameAsItself() throws {
        let report = try run().report
        let comparison = Comparison(report, report)
        #expect(comparison.warnings.isEmpty)
        #expect(!comparison.rows.isEmpty)
        #expect(comparison.rows.allSatisfy { $0.mark == .same && $0.ratio == 1 })
    }

    @Test func lessIsBetterForLatencies() throws {
        let slow = try run { $0.result.corrected[.ack] = try SampleRun.distribution([4_000_000: 1]) }
        let quick = try run { $0.result.corrected[.ack] = try SampleRun.distribution([2_000_000: 1]) }
        #expect(row("ack_p99_ms", slow, quick)?.mark == .better)
        #expect(row("ack_p99_ms", slow, quick)?.ratio == 0.5)
        #expect(row("ack_p99_ms", quick, slow)?.mark == .worse)
        #expect(row("ack_p99_ms", quick, slow)?.ratio == 2)
    }

    @Test func moreIsBetterForRates() throws {
        let few = try run { $0.result.counts.delivered = 20 }
        let many = try run { $0.result.counts.delivered = 40 }
        #expect(row("deliveries_per_second", few, many)?.mark == .better)
        #expect(row("deliveries_per_second", many, few)?.mark == .worse)
    }

    @Test func comparesZerosAndMissingFigures() throws {
        let none = try run { $0.cost = nil }
        let some = try run { $0.result.errors = ["busy": 3] }
        #expect(row("errors", none, some)?.mark == .worse)
        #expect(row("errors", none, some)?.ratio == nil)
        #expect(row("errors", some, none)?.mark == .better)
        #expect(row("kib_per_session", none, some)?.mark == .missing)
        #expect(row("lost", none, some) == nil)
        #expect(row("p99_ms", none, some) == nil)
    }

    @Test func warnsAboutDifferencesThatPreventComparison() throws {
        let base = try run()
        func warnings(_ change: (inout SampleRun) throws -> Void) throws -> [String] {
            Comparison(base.report, try run(change).report).warnings
        }
        #expect(try warnings { $0.scenario.name = "other" }.count == 1)
        #expect(try warnings { $0.result.durability = "normal" }.first?.contains("full | normal") == true)
        #expect(try warnings { $0.scenario.messages?.bytes = 1...1 }.contains { $0.hasPrefix("The payload") })
        #expect(try warnings { $0.scenario.users = 5 }.first?.contains("one name") == true)
        #expect(try warnings { $0.result.health.cpuShare = 1 }.first?.hasPrefix("b is invalid") == true)
        #expect(try warnings { $0.result.faults.count(.lost, "one") }.first?.hasPrefix("b broke") == true)
        #expect(try warnings { $0.scenario.thresholds = [] }.isEmpty)
        var other = base.report
        other.machine.cores = 4
        #expect(Comparison(base.report, other).warnings.first?.hasPrefix("The machine") == true)
        #expect(Comparison(other, base.report).warnings.count == 1)
    }

    @Test(arguments: [10, 60, 80, 200]) func theTextKeepsToItsWidth(width: Int) throws {
        let other = try run { $0.scenario.name = String(repeating: "long", count: 60) }
        let names = ["a/very/long/path/to/report.json", "another/very/long/path/to/report.json"]
        let text = Comparison(try run().report, other.report, names: names).text(width: width, colour: false)
        let longest = text.split(separator: "\n").map(\.count).max() ?? 0
        #expect(longest <= max(60, min(width, 100)))
        #expect(!text.contains("\u{1B}"))
    }
}
