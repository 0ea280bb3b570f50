/// Where the parts of the screen are. Pure.
struct Layout: Equatable, Sendable {
    /// Narrower, the list and the timeline don't fit beside each other.
    static let columnsLeast = 64

    var rows: Int
    var columns: Int
    /// Columns of the list; 0 if it isn't shown.
    var list: Int
    /// The first column of the timeline, and how many it has; 0 if it isn't shown.
    var left: Int
    var width: Int
    /// Rows of what is being written.
    var composer: Int

    /// The first row of the timeline and of the list, below the titles.
    let top = 2
    /// Rows of the timeline.
    var height: Int { max(1, rows - top - composer - 2) }
    /// Rows of the list.
    var listHeight: Int { max(1, rows - top - 1) }
    /// The row that shows who types.
    var typingRow: Int { rows - composer - 2 }
    /// The last row, with the state of the session.
    var statusRow: Int { rows - 1 }

    /// - Parameters:
    ///   - lines: how many rows what is being written would take.
    ///   - showsList: whether a narrow screen shows the list.
    init(_ size: TerminalSize, lines: Int, showsList: Bool) {
        rows = max(6, size.rows)
        columns = max(20, size.columns)
        composer = max(1, min(lines, max(1, rows / 4)))
        if columns < Layout.columnsLeast {
            (list, left, width) = showsList ? (columns, 0, 0) : (0, 0, columns)
        } else {
            list = max(22, min(38, columns * 3 / 10))
            left = list + 2
            width = columns - left
        }
    }

    /// The text before what is being written.
    static let prompt = "> "
    /// Columns for what is being written.
    var composerWidth: Int { max(2, (width > 0 ? width : columns) - Layout.prompt.count - 1) }
}

/// Rows and columns of a terminal.
package struct TerminalSize: Equatable, Sendable {
    /// Rows.
    package var rows: Int
    /// Columns.
    package var columns: Int
}
