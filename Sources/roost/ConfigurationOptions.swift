import ArgumentParser
import Foundation
import RoostServer

/// The options that name the configuration of every command.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "The configuration file. If not given, the file in $ROOST_CONFIG; if that is not set, the defaults.")
    var config: String?

    @Option(name: .customLong("set"), help: ArgumentHelp("Set a key; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    /// Loads the configuration. `flags` come from options of their own and override `--set`.
    func configuration(flags: [ConfigurationFlag] = []) throws(ConfigurationFailure) -> Configuration {
        let environment = ProcessInfo.processInfo.environment
        let file = config ?? environment["ROOST_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        var all: [ConfigurationFlag] = []
        for setting in settings { all.append(try ConfigurationFlag(set: setting)) }
        return try Configuration.load(file: file, environment: environment, flags: all + flags)
    }
}
