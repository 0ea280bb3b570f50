import ArgumentParser
import Foundation
import RoostAuth
import RoostServer

/// `roost link`: prints a link that opens the chat page as a user. It prints only the link to standard output.
struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print a link that opens the chat page as a user.",
        discussion: """
            The link has a token, signed with the key in auth.key_file: whoever has the link is that user. Browsers \
            don't send that part of a link to any server.
            """
    )

    @OptionGroup var options: ConfigurationOptions
    @Option(help: "The user who opens the link.") var user: String
    @Option(name: .customLong("ttl"), help: "Lifetime of the link: a number and s, m, h or d.")
    var lifetime = TokenLifetime(seconds: PageAddress.linkSeconds)
    @Option(help: "The relay's address, as https://chat.example.org. By default, listen in the configuration.")
    var url: String?

    func run() async throws {
        let configuration = try options.configuration()
        guard url != nil || configuration.hasChatPage else {
            throw ValidationError("this relay serves no page: listen.page is off")
        }
        let address = url ?? ChatCommand.url(of: configuration)
        guard let page = PageAddress(relay: address) else {
            throw ValidationError(
                "name the relay's address by --url, as https://chat.example.org, not \(address); the page has a host "
                    + "of its own, and works below no path")
        }
        let token = try await PageAddress.token(
            for: user, key: try SigningKey.load(path: configuration.auth.keyFile), auth: configuration.auth,
            seconds: lifetime.seconds)
        RoostCommand.write(page.link(token: token), to: .standardOutput)
    }
}
