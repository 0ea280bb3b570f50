import Glibc
import Testing

@testable import RoostLoad

/// The live display on a pipe, where its lines are read.
@Suite struct LiveDisplayTests {
    private func figures(_ elapsed: Double, phase: String = "measuring", faults: UInt64 = 0) -> LiveFigures {
        LiveFigures(
            phase: phase, elapsed: elapsed, total: 60, sessions: 1_000, sentPerSecond: 2_000, ackedPerSecond: 1_999,
            deliveredPerSecond: 1_998, p50: 1_200_000, p99: 9_400_000, faults: faults, relayCPU: 0.31, relayRSS: 26_000,
            late99: 90_000)
    }

    @Test func writesALineEveryFiveSecondsAndForEachPhase() throws {
        let pipe = try PipeEnds()
        let display = LiveDisplay(descriptor: pipe.writeEnd)
        display.show(figures(0, phase: "connecting"))
        for second in 1...16 { display.show(figures(Double(second))) }
        let lines = pipe.take().split(separator: "\n")
        #expect(lines.count == 5)
        #expect(
            lines.map { $0.prefix(18) } == [
                "connecting 0/60 s;", "measuring 1/60 s; ", "measuring 6/60 s; ", "measuring 11/60 s;",
                "measuring 16/60 s;",
            ])
        #expect(lines[1].contains("p99 9.40 ms"))
        #expect(!lines.joined().contains("\u{1B}"))
    }

    @Test func aLineCanBeOfAnyTime() {
        for elapsed in [-1, 0, 30, 61, .nan, .infinity] as [Double] {
            #expect(figures(elapsed, phase: "a\u{1B}\n", faults: .max).line.contains("a\u{FFFD}\u{FFFD} "))
        }
    }

    @Test func ignoresAClosedStandardError() { LiveDisplay(descriptor: -1).show(figures(1)) }
}
