/// Why a configuration can't be used: exactly one line for the operator, with the place, the key, its value and what is
/// allowed. It never contains the value of a secret.
public struct ConfigurationFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, without line break.
    public let description: String

    package init(_ source: ConfigurationSource, _ text: String) {
        self.init("\(source): \(text)")
    }

    package init(_ text: String) {
        // Keeps it one line without control characters for the terminal, whatever a path, key or value contains.
        description = String(String.UnicodeScalarView(text.unicodeScalars.map { Self.isSafe($0) ? $0 : "\u{FFFD}" }))
    }

    /// A value as the operator wrote it, shortened to a readable length.
    package static func quoted(_ value: String) -> String {
        value.count > 80 ? "\"\(value.prefix(80))…\"" : "\"\(value)\""
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
