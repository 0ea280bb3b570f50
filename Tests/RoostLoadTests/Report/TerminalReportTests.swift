import Testing

@testable import RoostLoad

/// The report as text: its width, its end, its colours.
@Suite struct TerminalReportTests {
    private func run() throws -> SampleRun {
        var run = try SampleRun(seconds: 2, rate: 20)
        run.scenario.name = String(repeating: "name ", count: 40)
        run.result.relay = "roost \u{1B}[2J" + String(repeating: "x", count: 200)
        run.result.errors = [String(repeating: "code", count: 50): .max]
        run.result.faults.count(.lost, times: .max, String(repeating: "word ", count: 60))
        run.scenario.thresholds = [Threshold(figure: String(repeating: "figure", count: 30), bound: 1)]
        return run
    }

    @Test(arguments: [1, 40, 80, 100, 500]) func noLineIsTooLong(width: Int) throws {
        let text = TerminalReport.text(for: try run().report, width: width, colour: false)
        let longest = text.split(separator: "\n").map(\.count).max() ?? 0
        #expect(longest <= max(40, min(width, 100)))
        #expect(!text.contains("\u{1B}"))
        #expect(text.hasSuffix("\n"))
    }

    @Test func theVerdictAndItsReasonsAreLast() throws {
        let lines = TerminalReport.text(for: try run().report, width: 100, colour: false).split(separator: "\n")
        let verdict = try #require(lines.lastIndex { $0.hasPrefix("BROKEN: ") })
        #expect(lines[(verdict + 1)...].allSatisfy { $0.hasPrefix("- ") || $0.hasPrefix("  ") })
        #expect(lines.count - verdict > 2)
        let held = TerminalReport.text(for: try SampleRun(seconds: 2, rate: 20).report, width: 100, colour: false)
        #expect(held.hasSuffix("\nHELD: Every threshold and the contract held.\n"))
    }

    @Test func columnsLineUp() throws {
        let text = TerminalReport.text(for: try SampleRun(seconds: 2, rate: 20).report, width: 100, colour: false)
        let lines = text.split(separator: "\n").map(String.init)
        let head = try #require(lines.firstIndex { $0.hasPrefix("Latency, ms") })
        #expect(Set(lines[head...(head + 5)].map(\.count)).count == 1)
    }

    @Test func coloursComeOnlyWhenAskedFor() throws {
        let report = try SampleRun(seconds: 2, rate: 20).report
        let plain = TerminalReport.text(for: report, width: 100, colour: false)
        let coloured = TerminalReport.text(for: report, width: 100, colour: true)
        #expect(coloured.contains("\u{1B}[1;32mHELD\u{1B}[0m"))
        let stripped = coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(stripped == plain)
    }

    @Test func aPipeIsNotATerminal() throws {
        let pipe = try PipeEnds()
        #expect(!TerminalStyle.of(descriptor: pipe.writeEnd).isColoured)
        #expect(TerminalStyle.width(of: pipe.writeEnd) == nil)
    }
}
