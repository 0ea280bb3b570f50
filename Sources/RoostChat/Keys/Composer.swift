/// The text being written, with its cursor. Pure: it neither reads keys nor draws.
struct Composer: Equatable, Sendable {
    private var characters: [Character] = []
    /// Number of characters before the cursor.
    private(set) var cursor = 0
    private let scalarsMax: Int

    /// Takes at most as many Unicode scalars as a message may have.
    init(scalarsMax: Int) { self.scalarsMax = scalarsMax }

    var text: String { String(characters) }
    var isEmpty: Bool { characters.isEmpty }

    /// Begins with another text, and the cursor at its end.
    mutating func replace(_ text: String) {
        characters = Array(text)
        cursor = characters.count
    }

    // MARK: Changes

    /// Puts text in at the cursor. Control characters other than line breaks are left out; a tab is a space.
    /// - Returns: false if not all of it fits.
    mutating func insert(_ text: String) -> Bool {
        var taken = String.UnicodeScalarView()
        var room = scalarsMax - characters.reduce(0) { $0 + $1.unicodeScalars.count }
        var isWhole = true
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { last = scalar }
            let kept: Unicode.Scalar
            switch scalar {
            case "\r": kept = "\n"
            case "\n" where last == "\r": continue
            case "\n": kept = "\n"
            case "\t": kept = " "
            case _ where scalar.properties.generalCategory == .control: continue
            default: kept = scalar
            }
            guard room > 0 else {
                isWhole = false
                break
            }
            taken.append(kept)
            room -= 1
        }
        // What is put in may join with what stands before, as an accent does.
        let before = Array(String(characters[..<cursor]) + String(taken))
        let whole = String(before) + String(characters[cursor...])
        let after = characters.count - cursor
        characters = Array(whole)
        cursor = max(0, min(characters.count, max(before.count, characters.count - after)))
        return isWhole
    }

    mutating func backspace() { erase(from: cursor - 1, to: cursor) }

    mutating func delete() { erase(from: cursor, to: cursor + 1) }

    mutating func eraseWord() { erase(from: wordStart, to: cursor) }

    mutating func eraseToStart() { erase(from: lineStart, to: cursor) }

    mutating func eraseToEnd() { erase(from: cursor, to: max(lineEnd, min(cursor + 1, characters.count))) }

    private mutating func erase(from: Int, to: Int) {
        let range = max(0, from)..<max(max(0, from), min(to, characters.count))
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    // MARK: Moves

    mutating func left() { cursor = max(0, cursor - 1) }

    mutating func right() { cursor = min(characters.count, cursor + 1) }

    mutating func toLineStart() { cursor = lineStart }

    mutating func toLineEnd() { cursor = lineEnd }

    mutating func wordLeft() { cursor = wordStart }

    mutating func wordRight() {
        while cursor < characters.count, characters[cursor].isWhitespace { cursor += 1 }
        while cursor < characters.count, !characters[cursor].isWhitespace { cursor += 1 }
    }

    private var wordStart: Int {
        var place = cursor
        while place > 0, characters[place - 1].isWhitespace { place -= 1 }
        while place > 0, !characters[place - 1].isWhitespace { place -= 1 }
        return place
    }

    private var lineStart: Int { characters[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0 }

    private var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

    /// Moves up or down by one row as it is shown.
    /// - Returns: false if there is none.
    mutating func move(rows: Int, width: Int) -> Bool {
        let layout = layout(width: width)
        let wanted = layout.cursor.row + rows
        guard layout.rows.indices.contains(wanted) else { return false }
        var place = layout.starts[wanted]
        var column = 0
        for character in layout.rows[wanted] {
            guard column < layout.cursor.column else { break }
            column += TextWidth.columns(character)
            place += 1
        }
        cursor = min(place, characters.count)
        return true
    }

    // MARK: Layout

    /// The text as shown: rows, which character each begins with, and where the cursor stands.
    struct Layout: Equatable {
        var rows: [String] = [""]
        var starts: [Int] = [0]
        var cursor = Painter.Place(row: 0, column: 0)
    }

    func layout(width: Int) -> Layout {
        let width = max(2, width)
        var layout = Layout()
        var used = 0
        for (index, character) in characters.enumerated() {
            let shown = character == "\n" ? "" : TerminalText.printable(String(character))
            let columns = TextWidth.columns(shown)
            if used + columns > width {
                layout.rows.append("")
                layout.starts.append(index)
                used = 0
            }
            if index == cursor { layout.cursor = .init(row: layout.rows.count - 1, column: used) }
            if character == "\n" {
                layout.rows.append("")
                layout.starts.append(index + 1)
                used = 0
            } else {
                layout.rows[layout.rows.count - 1] += shown
                used += columns
            }
        }
        if cursor == characters.count {
            if used == width {
                layout.rows.append("")
                layout.starts.append(characters.count)
                used = 0
            }
            layout.cursor = .init(row: layout.rows.count - 1, column: used)
        }
        return layout
    }
}
