import ArgumentParser
import RoostServices

/// `roost-services link`: prints the link that `roost admin link` asks for, and nothing else to standard output.
struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print a link that signs in the owner, for half an hour.")

    @OptionGroup var options: ServicesOptions
    @Flag(help: "One by which somebody gets an account, for a week.") var friend = false

    func run() async throws {
        ServicesCommand.write(try await Services.link(try options.configuration(), for: friend ? .friend : .owner))
    }
}
