/// The content of a terminal: a cell for each column of each row. Pure.
struct CellGrid: Equatable, Sendable {
    /// A character in its columns. One that takes two columns is followed by an empty cell.
    struct Cell: Equatable, Sendable {
        var text: String
        var style: Style
        /// Whether terminals disagree about its width.
        var isDoubtful = false

        static let blank = Cell(text: " ", style: .plain)
    }

    let rows: Int
    let columns: Int
    private var cells: [Cell]

    init(rows: Int, columns: Int) {
        self.rows = max(1, rows)
        self.columns = max(1, columns)
        cells = Array(repeating: .blank, count: self.rows * self.columns)
    }

    /// A row, from its first column to its last.
    func row(_ row: Int) -> ArraySlice<Cell> {
        guard (0..<rows).contains(row) else { return [] }
        return cells[row * columns..<(row + 1) * columns]
    }

    /// The text of a row, without what is blank at its end.
    func text(_ row: Int) -> String {
        var text = self.row(row).map(\.text).joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Writes from a column on, at most so many columns: what doesn't fit is left out.
    /// - Returns: the column after it.
    @discardableResult
    mutating func put(_ spans: [Span], row: Int, column: Int, atMost room: Int = .max) -> Int {
        guard (0..<rows).contains(row) else { return column }
        let end = min(columns, column + min(room, columns))
        var place = column
        for span in spans {
            for character in span.text {
                let width = TextWidth.columns(character)
                guard width > 0, place >= 0 else { continue }
                guard place + width <= end else { return place }
                let start = row * columns + place
                cells[start] = Cell(
                    text: String(character), style: span.style, isDoubtful: TextWidth.isDoubtful(character))
                if width == 2 { cells[start + 1] = Cell(text: "", style: span.style) }
                place += width
            }
        }
        return place
    }

    /// Writes so that the text ends before a column.
    mutating func put(_ spans: [Span], row: Int, endingAt end: Int) {
        put(spans, row: row, column: end - spans.reduce(0) { $0 + TextWidth.columns($1.text) })
    }

    /// Gives all cells of a row this style, from one column to before another.
    mutating func shade(row: Int, from: Int = 0, to: Int = .max, _ style: Style) {
        guard (0..<rows).contains(row) else { return }
        for column in max(0, from)..<max(max(0, from), min(columns, to)) {
            cells[row * columns + column].style = style
        }
    }
}
