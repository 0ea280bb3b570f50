/// Makes text from elsewhere safe to print. A terminal obeys what is printed to it (ECMA-48): a message could move the
/// cursor, change the title or answer in the reader's name. So nothing that somebody else wrote is printed as it came.
enum TerminalText {
    /// One line to read: control characters and what reorders or hides text become U+FFFD, line breaks a visible sign,
    /// so that nobody can write a line that looks like somebody else's.
    static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\u{2028}", "\u{2029}": scalars.append("⏎")
            case "\t": scalars.append(" ")
            default: scalars.append(isSafe(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(scalars)
    }

    /// JSON with the same characters written as escapes: it stays valid, and says what it is.
    static func escaped(json: String) -> String {
        var escaped = ""
        for scalar in json.unicodeScalars {
            guard isSafe(scalar) else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
                continue
            }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        // Joiners belong to emoji and to several scripts, and do nothing by themselves.
        if scalar == "\u{200D}" || scalar == "\u{200C}" { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }

    // MARK: Width

    /// Columns that a character takes, after the East Asian Width of Unicode (UAX #11), as far as it matters here.
    static func columns(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// Columns of a text that holds no control characters.
    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// The end of a text, as much as fits.
    static func tail(_ text: String, columns most: Int) -> String {
        var tail: [Character] = []
        var room = most
        for character in text.reversed() {
            room -= columns(character)
            guard room >= 0 else { break }
            tail.append(character)
        }
        return String(tail.reversed())
    }
}
