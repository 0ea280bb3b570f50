import ArgumentParser
import Foundation
import RoostAuth
import RoostServer
import RoostWire

/// `roost token`: makes a token with the relay's own key. Standard output gets the token alone, for scripts.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a token for a user.",
        discussion: "It is signed with the key that the configuration names (auth.key_file), which `roost serve` made."
    )

    @OptionGroup var options: ConfigurationOptions
    @Option(help: "The user.") var user: String
    @Option(help: "Fix the device; without it the client names its own.") var device: String?
    @Option(name: .customLong("ttl"), help: "How long it lasts: a number and s, m, h or d.")
    var lifetime = TokenLifetime(seconds: 3_600)

    func run() async throws {
        let auth = try options.configuration().auth
        let now = Int64(Date().timeIntervalSince1970)
        let token = try await SigningKey.load(path: auth.keyFile).token(
            user: user,
            device: device,
            expires: Timestamp(milliseconds: (now + lifetime.seconds) * 1_000),
            audience: auth.audience,
            issuer: auth.issuer
        )
        RoostCommand.write(token, to: .standardOutput)
    }
}
