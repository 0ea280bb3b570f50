/// A scenario that can't be run: exactly one line that says where it was said, which key it is about, what is wrong
/// and what is allowed. A value.
public struct ScenarioFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, without line break.
    public let description: String

    init(_ text: String) {
        // Whatever a path, key or value holds, it stays one line, and a terminal isn't told anything.
        description = String(String.UnicodeScalarView(text.unicodeScalars.map { Self.isSafe($0) ? $0 : "\u{FFFD}" }))
    }

    init(_ place: ScenarioPlace, _ text: String) { self.init("\(place): \(text)") }

    /// A text as it was written, cut to a readable length.
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
