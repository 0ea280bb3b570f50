import ArgumentParser
import Foundation
import RoostServer

/// The options by which every command finds its configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "The configuration file. Without it $ROOST_CONFIG counts, and without that the defaults.")
    var config: String?

    @Option(name: .customLong("set"), help: ArgumentHelp("Set a key; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    /// `flags` are those with an option of their own; they win over `--set`.
    func configuration(flags: [ConfigurationFlag] = []) throws(ConfigurationFailure) -> Configuration {
        let environment = ProcessInfo.processInfo.environment
        let file = config ?? environment["ROOST_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        var all: [ConfigurationFlag] = []
        for setting in settings { all.append(try ConfigurationFlag(set: setting)) }
        return try Configuration.load(file: file, environment: environment, flags: all + flags)
    }
}
