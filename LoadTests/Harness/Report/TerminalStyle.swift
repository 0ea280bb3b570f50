import Glibc

/// Colours of a terminal, or none. A value.
public struct TerminalStyle: Sendable {
    /// Whether colours are written at all.
    public var isColoured: Bool

    /// With colours or without.
    public init(isColoured: Bool) { self.isColoured = isColoured }

    /// Colours only on a terminal that has them, and not against the user's wish (no-color.org).
    public static func of(descriptor: Int32) -> TerminalStyle {
        TerminalStyle(isColoured: isTerminal(descriptor) && (variable("NO_COLOR") ?? "").isEmpty)
    }

    private static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && variable("TERM") != "dumb"
    }

    /// Columns of a terminal; nil: it is none, or it doesn't say.
    public static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    enum Colour: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    func paint(_ text: String, _ colours: Colour...) -> String {
        guard isColoured, !text.isEmpty else { return text }
        return "\u{1B}[\(colours.map(\.rawValue).joined(separator: ";"))m\(text)\u{1B}[0m"
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension Report.Verdict {
    var colour: TerminalStyle.Colour {
        switch self {
        case .held: .green
        case .broken, .failed: .red
        case .invalid: .yellow
        }
    }
}
