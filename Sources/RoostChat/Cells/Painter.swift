/// Makes a terminal show a grid: only what differs from what it shows already, in one piece of output, so that nothing
/// flickers. Pure: it knows what was written, and writes nothing.
struct Painter {
    let hasColours: Bool
    private var shown: CellGrid?
    private var cursor: Place?

    /// A place on the screen, counted from 0.
    struct Place: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    init(hasColours: Bool) { self.hasColours = hasColours }

    /// Forgets what the terminal shows: the next frame writes all of it.
    mutating func forget() { shown = nil }

    /// The output that makes the terminal show this; empty if it does already.
    mutating func frame(_ grid: CellGrid, cursor: Place?) -> String {
        var output = ""
        let isNew = shown?.rows != grid.rows || shown?.columns != grid.columns
        if isNew { output = "\u{1B}[0m\u{1B}[2J" }
        let old = isNew ? CellGrid(rows: grid.rows, columns: grid.columns) : shown
        for row in 0..<grid.rows { output += difference(row, from: old, to: grid) }
        defer { (shown, self.cursor) = (grid, cursor) }
        guard !output.isEmpty || cursor != self.cursor else { return "" }
        // The cursor would be seen where something is written.
        let end = cursor.map { Painter.move($0.row, $0.column) + "\u{1B}[?25h" } ?? ""
        return "\u{1B}[?25l" + output + "\u{1B}[0m" + end
    }

    private func difference(_ row: Int, from old: CellGrid?, to new: CellGrid) -> String {
        let (before, after) = (Array(old?.row(row) ?? []), Array(new.row(row)))
        guard before != after else { return "" }
        // Where a terminal may have another opinion about a width, what follows stands elsewhere: all is written anew.
        if before.contains(where: \.isDoubtful) || after.contains(where: \.isDoubtful) {
            return Painter.move(row, 0) + "\u{1B}[0m\u{1B}[2K" + write(after, 0..<after.count, in: row)
        }
        var output = ""
        var column = 0
        while column < after.count {
            guard before[column] != after[column] else {
                column += 1
                continue
            }
            let start = column
            // A short part that is the same costs less than another move of the cursor.
            var end = column + 1
            var same = 0
            column += 1
            while column < after.count, same < 4 {
                if before[column] == after[column] { same += 1 } else { (same, end) = (0, column + 1) }
                column += 1
            }
            // Both halves of a wide character change together.
            var first = start
            while first > 0, after[first].text.isEmpty { first -= 1 }
            while end < after.count, after[end].text.isEmpty { end += 1 }
            output += write(after, first..<end, in: row)
            column = end
        }
        return output
    }

    private func write(_ cells: [CellGrid.Cell], _ range: Range<Int>, in row: Int) -> String {
        var output = ""
        var style: Style?
        var isPlaced = false
        for column in range {
            let cell = cells[column]
            if cell.text.isEmpty { continue }
            if !isPlaced { output += Painter.move(row, column) }
            if cell.style != style {
                output += cell.style.sequence(colours: hasColours)
                style = cell.style
            }
            output += cell.text
            isPlaced = !cell.isDoubtful
        }
        return output
    }

    private static func move(_ row: Int, _ column: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }
}
