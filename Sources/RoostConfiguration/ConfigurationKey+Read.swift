extension ConfigurationKey {
    /// Writes a setting into `configuration`, or throws what is wrong with it.
    func read(
        _ setting: ConfigurationSetting,
        into configuration: inout Root
    ) throws(ConfigurationFailure) {
        switch (form, setting.value) {
        case (.whole(let slot, let range), .text(let text)):
            guard let number = Self.number(text), range.contains(number) else { throw refusal(of: text, setting) }
            configuration[keyPath: slot] = number
        case (.seconds(let slot, let range), .text(let text)):
            guard let number = Self.number(text), range.contains(number) else { throw refusal(of: text, setting) }
            configuration[keyPath: slot] = Int64(number) * 1_000
        case (.word(let slot, let words), .text(let text)):
            guard words.contains(text) else { throw refusal(of: text, setting) }
            configuration[keyPath: slot] = text
        case (.text(let slot, let rule), .text(let text)):
            guard rule.allows(text) else { throw refusal(of: text, setting) }
            configuration[keyPath: slot] = text
        case (.list(let slot, let rule), .list(let items)):
            for item in items where !rule.allows(item) { throw refusal(of: item, setting) }
            configuration[keyPath: slot] = items
        case (_, .text(let text)): throw refusal(of: text, setting)
        case (_, .list), (_, .unusable): throw ConfigurationFailure(setting.source, "\(name): expected \(allowed)")
        }
    }

    /// Parses digits only: no sign, space or underscore. No key allows a number that is too long for an `Int`.
    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    private func refusal(of value: String, _ setting: ConfigurationSetting) -> ConfigurationFailure {
        let shown = isSecret ? "the value (not shown)" : ConfigurationFailure.quoted(value)
        return ConfigurationFailure(setting.source, "\(name): \(shown) is not allowed: expected \(allowed)")
    }
}
