extension ConfigurationTable {
    /// The loaded values, and the source of each key.
    package struct Loaded: Sendable {
        package var value: Root
        package var sources: [String: ConfigurationSource]
    }

    /// Applies the file, then `ROOST_…` variables, then flags to the defaults; a later source overrides an earlier one.
    ///
    /// Throws at the first mistake and never guesses. If `file` is nil, no file is read.
    package func load(
        into defaults: Root, file: String? = nil, environment: [String: String] = [:],
        flags: [ConfigurationFlag] = []
    ) throws(ConfigurationFailure) -> Loaded {
        var settings: [ConfigurationSetting] = []
        if let file { settings += try ConfigurationFile.settings(path: file, of: owner) }
        settings += try self.settings(environment: environment)
        // An operator who starts both processes passes all settings to both.
        for flag in flags where !owner.isForeign(flag.key) {
            let key = try named(flag.key, in: .flag(flag.name))
            settings.append(key.setting(flag.value, from: .flag(flag.name)))
        }
        return try apply(settings, to: defaults)
    }

    /// Applies settings in their order.
    package func apply(
        _ settings: [ConfigurationSetting], to defaults: Root
    ) throws(ConfigurationFailure) -> Loaded {
        var loaded = Loaded(value: defaults, sources: [:])
        for setting in settings {
            let key = try named(setting.key, in: setting.source)
            try key.read(setting, into: &loaded.value)
            loaded.sources[key.name] = setting.source
        }
        return loaded
    }

    private func settings(environment: [String: String]) throws(ConfigurationFailure) -> [ConfigurationSetting] {
        var settings: [ConfigurationSetting] = []
        // Sorted, so that the same environment always gives the same first failure.
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("ROOST_") {
            if owner.isForeign(variable: name, value) { continue }
            settings.append(try ofVariable(name).setting(value, from: .variable(name)))
        }
        return settings
    }
}
