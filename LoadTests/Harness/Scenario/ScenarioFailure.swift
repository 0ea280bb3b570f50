/// Why a scenario can't be run: exactly one line with the place, the key, what is wrong and what is allowed. A value.
public struct ScenarioFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, without line break.
    public let description: String

    init(_ text: String) {
        // Keeps it one line without control characters for the terminal, whatever a path, key or value contains.
        description = String(String.UnicodeScalarView(text.unicodeScalars.map { Self.isSafe($0) ? $0 : "\u{FFFD}" }))
    }

    init(_ place: ScenarioPlace, _ text: String) { self.init("\(place): \(text)") }

    /// A text as it was written, shortened to a readable length.
    static func quoted(_ text: String) -> String {
        text.count > 60 ? "\"\(text.prefix(60))…\"" : "\"\(text)\""
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
