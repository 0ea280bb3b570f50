extension Comparison {
    /// The warnings and the table. Each line ends with a line feed, and none is wider than `width` or 100.
    public func text(width: Int, colour: Bool) -> String {
        let style = TerminalStyle(isColoured: colour)
        let width = max(60, min(width, TerminalReport.widthMax))
        var lines: [String] = []
        for warning in warnings {
            let wrapped = TextTable.wrapped("WARNING: \(warning)", width: width, indent: 2)
            lines += wrapped.map { style.paint($0, .yellow) }
        }
        if !warnings.isEmpty { lines.append("") }
        var table = TextTable(sides: [.left, .right, .right, .right, .left])
        table.add(["Figure", TextTable.cut(names[0], to: 20), TextTable.cut(names[1], to: 20), "ratio", ""])
        for row in rows {
            table.add([
                row.figure, row.first.map(Readable.figure) ?? "-", row.second.map(Readable.figure) ?? "-",
                row.ratio.map { Readable.fixed($0, 2) } ?? "-", row.mark.rawValue,
            ])
        }
        let drawn = table.lines(width: width)
        lines += drawn.prefix(1).map { style.paint($0, .bold) }
        for (row, line) in zip(rows, drawn.dropFirst()) {
            switch row.mark {
            case .better: lines.append(style.paint(line, .green))
            case .worse: lines.append(style.paint(line, .red))
            case .same, .missing: lines.append(line)
            }
        }
        let count = { (mark: Mark) in rows.filter { $0.mark == mark }.count }
        lines.append("")
        lines += TextTable.wrapped(
            "\(count(.better)) better, \(count(.worse)) worse, \(count(.same)) within "
                + "\(Readable.fixed(Self.sameShare * 100, 0)) %. The ratio is the second by the first.", width: width)
        return lines.map { $0 + "\n" }.joined()
    }
}
