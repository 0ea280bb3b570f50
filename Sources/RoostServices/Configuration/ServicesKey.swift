/// One key of the configuration: how it is read, and what is refused.
struct ServicesKey: Sendable {
    typealias Slot<Value> = WritableKeyPath<ServicesConfiguration, Value> & Sendable

    /// Where a value goes and what it may be.
    enum Form: Sendable {
        case whole(any Slot<Int>, ClosedRange<Int>)
        case word(any Slot<String>, [String])
        case text(any Slot<String>, Rule)
        case list(any Slot<[String]>, Rule)
    }

    /// What a text may be, and how that is said after "expected".
    struct Rule: Sendable {
        var said: String
        var allows: @Sendable (String) -> Bool
    }

    /// The section and the member, joined by a dot.
    let name: String
    let form: Form
    /// Whether its value is never shown.
    let isSecret: Bool

    init(_ name: String, _ form: Form, isSecret: Bool = false) {
        self.name = name
        self.form = form
        self.isSecret = isSecret
    }

    /// `ROOST_SERVICES_PORT` for `services.port`.
    var variable: String { "ROOST_" + name.uppercased().replacing(".", with: "_") }

    /// What is allowed, worded to follow "expected".
    private var allowed: String {
        switch form {
        case .whole(_, let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .word(_, let words): "one of \(words.joined(separator: ", "))"
        case .text(_, let rule): rule.said
        case .list(_, let rule): "a list, each \(rule.said)"
        }
    }

    /// One setting, before any check.
    struct Setting: Sendable {
        enum Value: Sendable {
            case text(String)
            case list([String])
            /// A section in place of a value, or nothing at all.
            case unusable
        }

        var key: String
        var value: Value
        /// Where it was written.
        var source: String
    }

    func read(
        _ setting: Setting, into configuration: inout ServicesConfiguration
    ) throws(ConfigurationFailure) {
        switch (form, setting.value) {
        case (.whole(let slot, let range), .text(let text)):
            let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard isDigits, let number = Int(text), range.contains(number) else { throw refusal(of: text, setting) }
            configuration[keyPath: slot] = number
        case (.word(let slot, let words), .text(let text)):
            guard words.contains(text) else { throw refusal(of: text, setting) }
            configuration[keyPath: slot] = text
        case (.text(let slot, let rule), .text(let text)):
            guard rule.allows(text) else { throw refusal(of: text, setting) }
            configuration[keyPath: slot] = text
        case (.list(let slot, let rule), .list(let items)):
            for item in items where !rule.allows(item) { throw refusal(of: item, setting) }
            configuration[keyPath: slot] = items
        case (.list(let slot, let rule), .text(let text)):
            // From a variable or a flag: separated by commas.
            let items = text.split(separator: ",").map { String($0.drop { $0 == " " }) }
            for item in items where !rule.allows(item) { throw refusal(of: item, setting) }
            configuration[keyPath: slot] = items
        case (_, .list), (_, .unusable):
            throw ConfigurationFailure(setting.source, "\(name): expected \(allowed)")
        }
    }

    private func refusal(of value: String, _ setting: Setting) -> ConfigurationFailure {
        let quoted = value.count > 80 ? "\"\(value.prefix(80))…\"" : "\"\(value)\""
        let shown = isSecret ? "the value (not shown)" : quoted
        return ConfigurationFailure(setting.source, "\(name): \(shown) is not allowed: expected \(allowed)")
    }
}
