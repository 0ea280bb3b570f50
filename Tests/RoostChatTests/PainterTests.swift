import Testing

@testable import RoostChat

/// A terminal that obeys what a painter writes: moves, styles, and erasing.
private struct Screen {
    var cells: [[String]]
    var row = 0
    var column = 0
    var written = 0

    init(rows: Int, columns: Int) {
        cells = Array(repeating: Array(repeating: "?", count: columns), count: rows)
    }

    mutating func take(_ output: String) {
        var rest = Substring(output)
        while let character = rest.popFirst() {
            guard character == "\u{1B}" else {
                cells[row][column] = String(character)
                let width = TextWidth.columns(character)
                if width == 2 { cells[row][column + 1] = "" }
                column += width
                written += 1
                continue
            }
            let end = rest.firstIndex { $0.isLetter } ?? rest.endIndex
            let words = rest[..<end].dropFirst().split(separator: ";").compactMap { Int($0) }
            switch rest[end] {
            case "H": (row, column) = (words[0] - 1, words[1] - 1)
            case "J": for row in cells.indices { cells[row] = cells[row].map { _ in " " } }
            case "K": cells[row] = cells[row].map { _ in " " }
            default: break
            }
            rest = rest[rest.index(after: end)...]
        }
    }

    var text: [String] { cells.map { $0.joined() } }
}

@Suite struct PainterTests {
    private var painter = Painter(hasColours: true)
    private var screen = Screen(rows: 3, columns: 12)

    private mutating func show(_ lines: [String]) {
        var grid = CellGrid(rows: 3, columns: 12)
        for (row, line) in lines.enumerated() { grid.put([Span(line)], row: row, column: 0) }
        screen.written = 0
        screen.take(painter.frame(grid, cursor: nil))
        #expect(screen.text == (0..<3).map { row in grid.row(row).map(\.text).joined() })
    }

    @Test mutating func onlyWhatDiffersIsWritten() {
        show(["hello", "日本語 abc", "end"])
        show(["hello", "日本語 abd", "end"])
        #expect(screen.written == 1)
        show(["hello", "本日語 abd", "end"])
        #expect(screen.written == 2)
        show(["hello", "a日本語 abd", "end"])
        show(["hello", "", "end"])
    }

    @Test mutating func nothingNewIsNothing() {
        show(["hello"])
        var grid = CellGrid(rows: 3, columns: 12)
        grid.put([Span("hello")], row: 0, column: 0)
        #expect(painter.frame(grid, cursor: nil).isEmpty)
        #expect(!painter.frame(grid, cursor: .init(row: 1, column: 1)).isEmpty)
        painter.forget()
        #expect(painter.frame(grid, cursor: nil).contains("hello"))
    }

    @Test mutating func aRowOfDoubtfulWidthIsWrittenWhole() {
        show(["👩‍👩‍👧 abc"])
        show(["👩‍👩‍👧 abd"])
        #expect(screen.written == 11, "all of the row, anew")
    }

    @Test func whereColoursAreNotWantedThereAreNone() {
        var grid = CellGrid(rows: 3, columns: 12)
        grid.put([Span("bad", .bad), Span("bold", .bold)], row: 0, column: 0)
        var plain = Painter(hasColours: false)
        var coloured = Painter(hasColours: true)
        #expect(coloured.frame(grid, cursor: nil).contains("\u{1B}[0;31mbad"))
        #expect(plain.frame(grid, cursor: nil).contains("\u{1B}[0mbad\u{1B}[0;1mbold"))
    }

    @Test mutating func anotherSizeIsDrawnAnew() {
        show(["hello"])
        let output = painter.frame(CellGrid(rows: 2, columns: 12), cursor: nil)
        #expect(output.contains("\u{1B}[2J"))
    }

    @Test func textThatDoesNotFitIsLeftOut() {
        var grid = CellGrid(rows: 1, columns: 5)
        grid.put([Span("ab日本")], row: 0, column: 0)
        grid.put([Span("x")], row: 7, column: 0)
        #expect(grid.text(0) == "ab日")
        grid.put([Span("本")], row: 0, column: 4)
        #expect(grid.text(0) == "ab日")
    }
}
