/// A table of plain text whose columns line up: the first column to the left, the others to the right unless said
/// otherwise. It never gets wider than it is allowed: the widest text column is cut, with `…`. A value.
struct TextTable {
    enum Side { case left, right }

    var sides: [Side]
    private(set) var rows: [[String]] = []
    private let gap = 2

    init(sides: [Side]) { self.sides = sides }

    init(columns: Int) { sides = [.left] + Array(repeating: .right, count: max(0, columns - 1)) }

    /// Cells over the number of columns are dropped, missing ones are empty.
    mutating func add(_ cells: [String]) {
        let row = cells.prefix(sides.count).map(Readable.harmless)
        rows.append(row + Array(repeating: "", count: sides.count - row.count))
    }

    /// The rows, none wider than `width` characters.
    func lines(width: Int) -> [String] {
        let widths = columnWidths(within: width)
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let text = Self.cut(cell, to: widths[column])
                let space = String(repeating: " ", count: widths[column] - text.count)
                line += sides[column] == .left ? text + space : space + text
                if column < row.count - 1 { line += String(repeating: " ", count: gap) }
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return Self.cut(line, to: width)
        }
    }

    private func columnWidths(within width: Int) -> [Int] {
        var widths = sides.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let allowed = max(0, width - gap * (sides.count - 1))
        while widths.reduce(0, +) > allowed {
            let text = sides.indices.filter { sides[$0] == .left }.max { widths[$0] < widths[$1] }
            guard let column = text, widths[column] > 1 else { break }
            widths[column] -= 1
        }
        return widths
    }

    static func cut(_ text: String, to width: Int) -> String {
        guard text.count > width else { return text }
        return width > 0 ? text.prefix(width - 1) + "…" : ""
    }

    /// Breaks a sentence into lines of at most `width` characters; those after the first are indented.
    static func wrapped(_ sentence: String, width: Int, indent: Int = 0) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in Readable.harmless(sentence).split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return (lines + [line]).map { cut($0, to: max(width, 1)) }
    }
}
