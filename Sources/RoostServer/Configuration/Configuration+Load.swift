public import RoostConfiguration
import RoostCore

extension Configuration {
    /// Every key there is, in the order of Config/roost.yaml.
    package static let table = ConfigurationTable<Configuration>(.relay, notes: sectionNotes, keys)

    /// Applies the file, then `ROOST_…` variables, then flags to the defaults; a later source overrides an earlier one.
    ///
    /// Throws at the first mistake and never guesses. If `file` is nil, no file is read.
    public static func load(
        file: String? = nil,
        environment: [String: String] = [:],
        flags: [ConfigurationFlag] = []
    ) throws(ConfigurationFailure) -> Configuration {
        try checked(table.load(into: Configuration(), file: file, environment: environment, flags: flags))
    }

    /// The configuration, if its keys fit together.
    static func checked(
        _ loaded: ConfigurationTable<Configuration>.Loaded
    ) throws(ConfigurationFailure) -> Configuration {
        try loaded.value.checkTogether(sources: loaded.sources)
        var value = loaded.value
        value.settleUnknown()
        return value
    }

    /// Chooses the rule for unknown names. Services know all accounts, and send each to the relay when it is made;
    /// without them, identities come from elsewhere.
    mutating func settleUnknown() {
        rules.unknown = unknownNames ?? (listen.services.isEmpty ? .allow : .refuse)
    }

    /// The relay's sections as a file has them. They never show a secret.
    public var text: String { Configuration.table.text(of: self) }
}
