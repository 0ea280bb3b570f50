/// Columns that text takes on a terminal, and what fits. Pure. Only for text that holds no control characters.
enum TextWidth {
    /// Columns of a character, after the East Asian Width of Unicode (UAX #11), as far as it matters here.
    static func columns(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        // ASCII needs no look into tables.
        if first.value < 0x7F, scalars.count == 1 { return 1 }
        if first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// Columns of a text.
    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// Whether terminals disagree about its width, as about emoji that are joined from several.
    static func isDoubtful(_ character: Character) -> Bool {
        let scalars = character.unicodeScalars
        guard scalars.count > 1 else { return false }
        return scalars.contains { $0 == "\u{200D}" || $0 == "\u{FE0F}" || $0.properties.isEmojiModifier }
            || scalars.allSatisfy { (0x1F1E6...0x1F1FF).contains($0.value) }
    }

    /// The beginning of a text, as much as fits; with an ellipsis where something is left out.
    static func clip(_ text: String, _ most: Int) -> String {
        if text.utf8.count <= most || columns(text) <= most { return text }
        guard most > 0 else { return "" }
        var clipped = ""
        var room = most - 1
        for character in text {
            room -= columns(character)
            guard room >= 0 else { break }
            clipped.append(character)
        }
        return clipped + "…"
    }

    /// A text in lines of at most so many columns, broken at spaces where that is possible.
    static func wrap(_ text: String, _ most: Int) -> [String] {
        let most = max(2, most)
        var lines: [String] = []
        var line = ""
        var used = 0
        // Where the last word begins: the line before it, and its columns.
        var before: (end: String.Index, columns: Int)?
        for character in text {
            let width = columns(character)
            if used + width > most {
                if character == " " {
                    // The line is full, and the space is where it ends.
                    lines.append(line)
                    (line, used, before) = ("", 0, nil)
                    continue
                }
                if let place = before {
                    let word = String(line[place.end...])
                    lines.append(String(line[..<place.end].reversed().drop { $0 == " " }.reversed()))
                    line = word
                    used -= place.columns
                } else {
                    lines.append(line)
                    line = ""
                    used = 0
                }
                before = nil
            }
            line.append(character)
            used += width
            if character == " " { before = (line.endIndex, used) }
        }
        return lines + [line]
    }
}
