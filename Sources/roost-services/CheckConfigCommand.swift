import ArgumentParser
import RoostServices

/// `roost-services check-config`: checks whether `serve` would accept the configuration, without starting anything.
/// `roost check-config` runs it.
struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config", abstract: "Check the services' configuration and its files.")

    @OptionGroup var options: ServicesOptions

    func run() async throws {
        try await Services.check(try options.configuration())
        ServicesCommand.write("ok")
    }
}
