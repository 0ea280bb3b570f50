import ArgumentParser
import RoostServices

/// `roost-services admin-token`: prints only the token to standard output.
struct AdminTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin-token", abstract: "Print a token for the operators' routes, valid for five minutes.")

    @OptionGroup var options: ServicesOptions
    @Option(name: .customLong("as"), help: "The operator's name, for the audit log.") var name = "operator"
    @Flag(help: "A token for the operators' page, valid for an hour.") var page = false

    func run() throws {
        ServicesCommand.write(try AdminRequest(try options.configuration(), as: name).token(isForPage: page))
    }
}
