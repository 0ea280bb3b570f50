import ArgumentParser
import Foundation
import RoostConfiguration
import RoostServer
import RoostServicesConfiguration

/// The options that name the configuration of every command.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "The configuration file. By default, $ROOST_CONFIG; without either, the default settings.")
    var config: String?

    @Option(name: .customLong("set"), help: ArgumentHelp("Set a key; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    /// Loads the relay's part. `flags` come from options of their own and override `--set`.
    func configuration(flags: [ConfigurationFlag] = []) throws(ConfigurationFailure) -> Configuration {
        try Configuration.load(file: file, environment: environment, flags: written() + flags)
    }

    /// Loads the services' part.
    func servicesConfiguration(flags: [ConfigurationFlag] = []) throws(ConfigurationFailure) -> ServicesConfiguration {
        try servicesSettings(flags: flags).value
    }

    /// Loads the services' part, and where each key was set.
    func servicesSettings(
        flags: [ConfigurationFlag] = []
    ) throws(ConfigurationFailure) -> ConfigurationTable<ServicesConfiguration>.Loaded {
        try ServicesConfiguration.table.load(
            into: ServicesConfiguration(), file: file, environment: environment, flags: written() + flags)
    }

    /// The same for `roost-services`, which reads the same file and the same settings, and leaves the relay's alone.
    func words(_ added: [ConfigurationFlag]) -> [String] {
        let named = config.map { ["--config", $0] } ?? []
        let settings = settings + added.map { "\($0.key)=\($0.value)" }
        return named + settings.flatMap { ["--set", $0] }
    }

    /// The same options again, to be printed: only where things are, so that no password or token is shown. The file
    /// that `$ROOST_CONFIG` names is among them.
    var given: [String] {
        let places = settings.filter { setting in
            ["listen.", "store.", "services."].contains { setting.hasPrefix($0) }
                && !setting.hasPrefix("services.metrics_token")
        }
        return (file.map { ["--config", $0] } ?? []) + places.flatMap { ["--set", $0] }
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    private var file: String? { config ?? environment["ROOST_CONFIG"].flatMap { $0.isEmpty ? nil : $0 } }

    private func written() throws(ConfigurationFailure) -> [ConfigurationFlag] {
        var all: [ConfigurationFlag] = []
        for setting in settings { all.append(try ConfigurationFlag(set: setting)) }
        return all
    }
}
