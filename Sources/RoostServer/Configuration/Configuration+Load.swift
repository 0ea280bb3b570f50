extension Configuration {
    /// Applies the file, then `ROOST_…` variables, then flags to the defaults; a later source overrides an earlier one.
    ///
    /// Throws at the first mistake and never guesses. If `file` is nil, no file is read.
    public static func load(
        file: String? = nil,
        environment: [String: String] = [:],
        flags: [ConfigurationFlag] = []
    ) throws(ConfigurationFailure) -> Configuration {
        var settings: [ConfigurationSetting] = []
        if let file { settings += try ConfigurationFile.settings(path: file) }
        settings += try self.settings(environment: environment)
        for flag in flags where !ConfigurationKey.isForeign(flag.key) {
            let key = try ConfigurationKey.named(flag.key, in: .flag(flag.name))
            settings.append(key.setting(flag.value, from: .flag(flag.name)))
        }
        return try configuration(from: settings)
    }

    static func configuration(from settings: [ConfigurationSetting]) throws(ConfigurationFailure) -> Configuration {
        var configuration = Configuration()
        var sources: [String: ConfigurationSource] = [:]
        for setting in settings {
            let key = try ConfigurationKey.named(setting.key, in: setting.source)
            try key.read(setting, into: &configuration)
            sources[key.name] = setting.source
        }
        try configuration.checkTogether(sources: sources)
        return configuration
    }

    private static func settings(
        environment: [String: String]
    ) throws(ConfigurationFailure) -> [ConfigurationSetting] {
        var settings: [ConfigurationSetting] = []
        // Sorted, so that the same environment always gives the same first failure.
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("ROOST_") {
            if isForeign(name) || ConfigurationKey.isForeign(variable: name) { continue }
            settings.append(try ConfigurationKey.ofVariable(name).setting(value, from: .variable(name)))
        }
        return settings
    }

    /// Whether a variable begins like ours but isn't a key: the path of the file, those of the build and the tests, and
    /// those that Kubernetes sets in every container when a service is called "roost" (Kubernetes documentation,
    /// "Discovering services").
    private static func isForeign(_ name: String) -> Bool {
        switch name {
        case "ROOST_CONFIG", "ROOST_STRICT", "ROOST_BINARY", "ROOST_PORT", "ROOST_LOAD_BINARY", "ROOST_SCENARIOS",
            "ROOST_YARDSTICK":
            true
        default: name.hasPrefix("ROOST_SERVICE_") || name.hasPrefix("ROOST_PORT_")
        }
    }
}

extension ConfigurationKey {
    /// A setting from a single text. The items of a list are separated by commas.
    fileprivate func setting(_ text: String, from source: ConfigurationSource) -> ConfigurationSetting {
        guard case .list = form else { return ConfigurationSetting(key: name, value: .text(text), source: source) }
        let items = text.split(separator: ",").map { String($0.trimmingPrefix { $0 == " " }) }
        return ConfigurationSetting(key: name, value: .list(items), source: source)
    }
}
