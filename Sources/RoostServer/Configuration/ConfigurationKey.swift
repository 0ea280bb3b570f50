/// One key of the configuration. Everything about a key follows from its entry in `all`: how it is read from a file,
/// the environment or a flag, which values are refused, and its lines in Config/roost.yaml.
struct ConfigurationKey: Sendable {
    typealias Slot<Value> = WritableKeyPath<Configuration, Value> & Sendable

    /// Where a value goes and what it may be.
    enum Form: Sendable {
        case whole(any Slot<Int>, ClosedRange<Int>)
        /// Written in whole seconds, stored in milliseconds.
        case seconds(any Slot<Int64>, ClosedRange<Int>)
        case word(any Slot<String>, [String])
        case text(any Slot<String>, TextRule)
        case list(any Slot<[String]>, TextRule)
    }

    /// The section and the member, joined by a dot.
    let name: String
    let form: Form
    /// One or two sentences for the operator.
    let note: String
    var isSecret = false

    init(_ name: String, _ form: Form, _ note: String, isSecret: Bool = false) {
        self.name = name
        self.form = form
        self.note = note
        self.isSecret = isSecret
    }

    var section: Substring { name.prefix { $0 != "." } }
    var member: Substring { name.drop { $0 != "." }.dropFirst() }
    /// `ROOST_LISTEN_PORT` for `listen.port`.
    var variable: String { "ROOST_" + name.uppercased().replacing(".", with: "_") }

    /// What is allowed, worded to follow "expected".
    var allowed: String {
        switch form {
        case .whole(_, let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .seconds(_, let range): "whole seconds from \(range.lowerBound) to \(range.upperBound)"
        case .word(_, let words): "one of \(words.joined(separator: ", "))"
        case .text(_, let rule): rule.allowed
        case .list(_, let rule): "a list, each \(rule.allowed)"
        }
    }
}
