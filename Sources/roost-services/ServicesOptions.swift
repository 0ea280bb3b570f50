import ArgumentParser
import Foundation
import RoostConfiguration
import RoostServicesConfiguration

/// The options that name the configuration of every command.
struct ServicesOptions: ParsableArguments {
    @Option(help: "The configuration file. By default, $ROOST_CONFIG; without either, the default settings.")
    var config: String?

    @Option(name: .customLong("set"), help: ArgumentHelp("Set a key; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    /// Loads the configuration.
    func configuration() throws(ConfigurationFailure) -> ServicesConfiguration {
        let environment = ProcessInfo.processInfo.environment
        let file = config ?? environment["ROOST_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        var flags: [ConfigurationFlag] = []
        for setting in settings { flags.append(try ConfigurationFlag(set: setting)) }
        return try ServicesConfiguration.load(file: file, environment: environment, flags: flags)
    }
}
