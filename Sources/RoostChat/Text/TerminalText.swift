/// Makes text from elsewhere safe to print. A terminal obeys what is printed to it (ECMA-48): a message could move the
/// cursor, change the title or answer in the reader's name. So no text of another user is printed as it came.
package enum TerminalText {
    /// One line to read: control characters and what reorders or hides text become U+FFFD, line breaks a visible sign,
    /// so that a user can't write a line that looks like another user's.
    package static func printable(_ text: String) -> String {
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

    /// The lines of a text, each as above. Only for places where what follows can't be taken for another user's.
    static func lines(_ text: String) -> [String] {
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\n" || scalar == "\u{2028}" || scalar == "\u{2029}" {
                if line.last == "\r" { line.removeLast() }
                lines.append(printable(String(line)))
                line = String.UnicodeScalarView()
            } else {
                line.append(scalar)
            }
        }
        return lines + [printable(String(line))]
    }

    /// JSON with the same characters written as escapes: it stays valid, and says what it is.
    package static func escaped(json: String) -> String {
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

    /// Whether a terminal shows it and does nothing else.
    static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        // Joiners belong to emoji and to several scripts, and do nothing by themselves.
        if scalar == "\u{200D}" || scalar == "\u{200C}" { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
