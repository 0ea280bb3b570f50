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
    @Option(help: "The user that the token is for.") var user: String
    @Option(help: "The device that the token is for. If not given, the client names its device.") var device: String?
    @Option(help: "The sign-in that the token belongs to (claim sid), which can be revoked by itself.")
    var session: String?
    @Flag(help: "Let its holder use the operators' commands: the scope admin.") var admin = false
    @Flag(help: "Let its holder use the commands of services: the scope service.") var service = false
    @Option(name: .customLong("ttl"), help: "How long the token is valid: a number and s, m, h or d.")
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
