import Glibc
import Testing

@testable import RoostLoad

/// The live display on a pipe, where its lines are read, and on a screen of the test that does what a terminal does.
@Suite struct LiveDisplayTests {
    private func figures(_ elapsed: Double, phase: String = "measuring", faults: UInt64 = 0) -> LiveFigures {
        LiveFigures(
            phase: phase, elapsed: elapsed, total: 60, sessions: 1_000, sentPerSecond: 2_000, ackedPerSecond: 1_999,
            deliveredPerSecond: 1_998, p50: 1_200_000, p99: 9_400_000, faults: faults, relayCPU: 0.31, relayRSS: 26_000,
            late99: 90_000)
    }

    @Test func withoutATerminalWritesALineEveryFiveSecondsAndForEachPhase() throws {
        let pipe = try PipeEnds()
        let display = LiveDisplay(
            descriptor: pipe.writeEnd, isTerminal: false, style: TerminalStyle(isColoured: false))
        display.show(figures(0, phase: "connecting"))
        for second in 1...16 { display.show(figures(Double(second))) }
        display.finish()
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

    @Test func eachPictureOverwritesTheLast() throws {
        let pipe = try PipeEnds()
        let display = LiveDisplay(descriptor: pipe.writeEnd, isTerminal: true, style: TerminalStyle(isColoured: true))
        var screen = Screen()
        screen.take("$ roost-load run\n")
        for second in 0..<30 {
            // A fault adds a line to the block.
            display.show(figures(Double(second), faults: second == 20 ? 3 : 0))
            screen.take(pipe.take())
            #expect(screen.lines.count == (second == 20 ? 7 : 6), "\(screen.lines)")
            #expect(screen.lines.last == "")
        }
        #expect(screen.lines[0] == "$ roost-load run")
        #expect(screen.lines[1].hasPrefix("measuring"))
        #expect(screen.lines[1].hasSuffix("29/60 s"))
        #expect(screen.lines.allSatisfy { $0.count < 80 })
        screen.take("^C")
        display.show(figures(31))
        screen.take(pipe.take())
        #expect(!screen.lines.joined().contains("^C"))
        display.note("stopping")
        display.show(figures(32))
        screen.take(pipe.take())
        #expect(screen.lines[1] == "stopping")
        #expect(screen.lines.count == 7)
        display.finish()
        screen.take(pipe.take())
        #expect(screen.lines == ["$ roost-load run", "stopping", ""])
    }

    // A killed run must not leave the terminal without a cursor.
    @Test func theTerminalNeedsNoCleanUp() throws {
        let pipe = try PipeEnds()
        let display = LiveDisplay(descriptor: pipe.writeEnd, isTerminal: true, style: TerminalStyle(isColoured: true))
        display.show(figures(1))
        let text = pipe.take()
        #expect(!text.contains("\u{1B}[?"))
        #expect(text.hasSuffix("\n\u{1B}[J"))
    }

    @Test(arguments: [1, 20, 40, 79, 200]) func noLineIsWiderThanTheTerminal(width: Int) {
        let style = TerminalStyle(isColoured: false)
        let lines = LiveLines(figures: figures(59, faults: .max), style: style).block(width: width)
        #expect(lines.allSatisfy { $0.count <= width })
        #expect(lines.count == 5)
    }

    @Test(arguments: [-1, 0, 30, 61, .nan, .infinity] as [Double]) func anyTimeHasABar(elapsed: Double) {
        let lines = LiveLines(figures: figures(elapsed), style: TerminalStyle(isColoured: false)).block(width: 60)
        #expect(lines[0].count <= 60)
        if elapsed == 30 { #expect(lines[0].filter { $0 == "━" }.count == lines[0].filter { $0 == "─" }.count) }
    }

    @Test func ignoresAClosedStandardError() {
        let display = LiveDisplay(descriptor: -1, isTerminal: true, style: TerminalStyle(isColoured: false))
        display.show(figures(1))
        display.finish()
    }
}

/// The parts of a terminal that the display needs: text, line feeds, cursor up, erase to the end of the line or of the
/// screen.
private struct Screen {
    private(set) var lines = [""]
    private var row = 0
    private var column = 0

    mutating func take(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\n":
                row += 1
                column = 0
                if row == lines.count { lines.append("") }
            case "\r": column = 0
            case "\u{1B}":
                _ = rest.popFirst()
                var number = ""
                while let next = rest.first, next.properties.numericType != nil || next == ";" {
                    number.unicodeScalars.append(next)
                    rest.removeFirst()
                }
                control(rest.popFirst(), Int(number) ?? 0)
            default:
                var characters = Array(lines[row])
                if column < characters.count {
                    characters[column] = Character(scalar)
                } else {
                    characters.append(Character(scalar))
                }
                lines[row] = String(characters)
                column += 1
            }
        }
    }

    private mutating func control(_ letter: Unicode.Scalar?, _ number: Int) {
        switch letter {
        case "A": row = max(0, row - number)
        case "K": lines[row] = String(lines[row].prefix(column))
        case "J":
            lines[row] = String(lines[row].prefix(column))
            lines.removeSubrange((row + 1)...)
        default: break
        }
    }
}
