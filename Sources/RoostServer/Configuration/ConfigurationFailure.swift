/// A configuration that can't be used: exactly one line for the operator, with where it was said, which key, which
/// value and what is allowed. Values of secrets are never in it.
public struct ConfigurationFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, without line break.
    public let description: String

    init(_ source: ConfigurationSource, _ text: String) {
        self.init("\(source): \(text)")
    }

    init(_ text: String) {
        // Whatever a path, key or value holds, it stays one line, and a terminal isn't told anything.
        description = String(String.UnicodeScalarView(text.unicodeScalars.map { Self.isSafe($0) ? $0 : "\u{FFFD}" }))
    }

    /// A value as the operator wrote it, cut to a readable length.
    static func quoted(_ value: String) -> String {
        value.count > 80 ? "\"\(value.prefix(80))…\"" : "\"\(value)\""
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
