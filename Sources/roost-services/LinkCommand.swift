import ArgumentParser
import RoostServices

/// `roost-services link`: prints the link that `roost admin link` asks for, and nothing else to standard output.
struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print a link that signs in the owner, for half an hour.")

    @OptionGroup var options: ServicesOptions
    @Flag(help: "One by which somebody gets an account, for a week.") var friend = false

    @Option(help: "One by which this user, who has an account, signs in again, for half an hour.") var user: String?

    func validate() throws {
        guard !friend || user == nil else { throw ValidationError("--friend is for somebody without an account") }
    }

    func run() async throws {
        let receiver: Services.LinkReceiver = user.map { .user($0) } ?? (friend ? .friend : .owner)
        let link = try await Services.link(try options.configuration(), for: receiver)
        ServicesCommand.write(link)
    }
}
