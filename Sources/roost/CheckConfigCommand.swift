import ArgumentParser
import Foundation
import RoostAuth
import RoostServer

/// `roost check-config`: checks whether `roost serve` would accept the configuration, without starting anything.
struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Check the configuration and the key files that it names."
    )

    @OptionGroup var options: ConfigurationOptions
    @Flag(help: "Print a configuration file with every key, its meaning and its value.") var print = false

    func run() async throws {
        let configuration = try options.configuration()
        try await checkKeys(of: configuration.auth)
        if print { try? FileHandle.standardOutput.write(contentsOf: Data(configuration.text.utf8)) }
    }

    private func checkKeys(of auth: Configuration.Auth) async throws {
        var keys: [VerificationKey] = []
        // Before the first start there is no key yet, and a check should not create one.
        if FileManager.default.fileExists(atPath: auth.keyFile) {
            keys.append(VerificationKey(try SigningKey.load(path: auth.keyFile)))
        }
        for path in auth.publicKeys { keys += try VerificationKey.load(path: path) }
        guard !keys.isEmpty else { return }
        _ = try await TokenVerifier(keys: keys, audience: auth.audience, issuer: auth.issuer)
    }
}
