import ArgumentParser
import RoostServices
import RoostServicesConfiguration

/// `roost-services check-mail`: what `roost doctor` runs.
struct CheckMailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-mail", abstract: "Connect to the mail server and sign in, without sending mail.")

    @OptionGroup var options: ServicesOptions

    func run() async throws {
        let configuration = try options.configuration()
        guard configuration.mail.mode == .smtp else {
            return ServicesCommand.write("mail.mode is \(configuration.mail.mode.rawValue)")
        }
        guard let words = try await Services.mailProblem(configuration) else {
            return ServicesCommand.write("\(configuration.mail.host) takes letters from us")
        }
        throw ServiceFault(.unavailable, "\(configuration.mail.host):\(configuration.mail.port): \(words)")
    }
}
