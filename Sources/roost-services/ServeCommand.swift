import ArgumentParser
import Logging
import RoostServices
import RoostServicesConfiguration

/// `roost-services serve`: serves until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the services: sign-up, sign-in and tokens.")

    @OptionGroup var options: ServicesOptions
    @Flag(help: "Stop when standard input ends, as `roost up` needs it.") var supervised = false

    func run() async throws {
        let configuration = try options.configuration()
        if supervised { Supervision.begin() }
        var log = Logger(label: "roost-services")
        log.logLevel = Logger.Level(rawValue: configuration.logLevel) ?? .notice
        try await ReloadSignal.logged(to: log) { [log] in try await Services(configuration, log: log).run() }
    }
}
