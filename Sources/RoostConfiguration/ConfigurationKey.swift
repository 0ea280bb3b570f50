/// One key of a configuration. Everything about a key follows from it: how it is read from a file, the environment or a
/// flag, which values are refused, and its lines in Config/roost.yaml.
package struct ConfigurationKey<Root: Sendable>: Sendable {
    package typealias Slot<Value> = WritableKeyPath<Root, Value> & Sendable

    /// Where a value goes and what it may be.
    package enum Form: Sendable {
        case whole(any Slot<Int>, ClosedRange<Int>)
        /// Written in whole seconds, stored in milliseconds.
        case seconds(any Slot<Int64>, ClosedRange<Int>)
        case word(any Slot<String>, [String])
        case text(any Slot<String>, ConfigurationRule)
        case list(any Slot<[String]>, ConfigurationRule)
    }

    /// The section and the member, joined by a dot.
    package let name: String
    package let form: Form
    /// One or two sentences for the operator.
    package let note: String
    /// Whether its value is never shown.
    package let isSecret: Bool

    /// A key.
    package init(_ name: String, _ form: Form, _ note: String, isSecret: Bool = false) {
        self.name = name
        self.form = form
        self.note = note
        self.isSecret = isSecret
    }

    package var section: Substring { name.prefix { $0 != "." } }
    package var member: Substring { name.drop { $0 != "." }.dropFirst() }
    /// `ROOST_LISTEN_PORT` for `listen.port`.
    package var variable: String { "ROOST_" + name.uppercased().replacing(".", with: "_") }

    /// The allowed values, worded to follow "expected".
    package var allowed: String {
        switch form {
        case .whole(_, let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .seconds(_, let range): "whole seconds from \(range.lowerBound) to \(range.upperBound)"
        case .word(_, let words): "one of \(words.joined(separator: ", "))"
        case .text(_, let rule): rule.allowed
        case .list(_, let rule): "a list, each \(rule.allowed)"
        }
    }

    /// A setting from a single text. The items of a list are separated by commas, with or without the brackets that a
    /// file has around them: no item begins with one and ends with the other.
    func setting(_ text: String, from source: ConfigurationSource) -> ConfigurationSetting {
        guard case .list = form else { return ConfigurationSetting(key: name, value: .text(text), source: source) }
        let isBracketed = text.utf8.count >= 2 && text.hasPrefix("[") && text.hasSuffix("]")
        let items = (isBracketed ? text.dropFirst().dropLast() : text[...]).split(separator: ",")
            .map { String($0.trimmingPrefix { $0 == " " }) }
        return ConfigurationSetting(key: name, value: .list(items), source: source)
    }
}
