import ArgumentParser
import Foundation
import RoostAuth
import RoostServer
import RoostWire

/// `roost token`: creates a token with the relay's own key. It prints only the token to standard output, for scripts.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a token for a user.",
        discussion: "The token is signed with the key in auth.key_file, which `roost serve` creates at its first start."
    )

    @OptionGroup var options: ConfigurationOptions
    @Option(help: "The user of the token.") var user: String
    @Option(help: "Restrict the token to this device. By default, the client names its device.") var device: String?
    @Option(help: "The sign-in of the token (claim sid), which can be revoked separately.")
    var session: String?
    @Flag(help: "Allow operators' commands (scope admin).") var admin = false
    @Flag(help: "Allow services' commands (scope service).") var service = false
    @Option(name: .customLong("ttl"), help: "Lifetime of the token: a number and s, m, h or d.")
    var lifetime = TokenLifetime(seconds: 3_600)

    func run() async throws {
        let auth = try options.configuration().auth
        let now = Int64(Date().timeIntervalSince1970)
        let token = try await SigningKey.load(path: auth.keyFile).token(
            user: user,
            device: device,
            signIn: session,
            isOperator: admin,
            isService: service,
            issued: Timestamp(milliseconds: now * 1_000),
            expires: Timestamp(milliseconds: (now + lifetime.seconds) * 1_000),
            audience: auth.audience,
            issuer: auth.issuer
        )
        RoostCommand.write(token, to: .standardOutput)
    }
}
