import ArgumentParser
import Foundation
import RoostAuth
import RoostConfiguration
import RoostServer
import RoostServicesConfiguration

/// `roost check-config`: checks whether `roost serve` and `roost up` would accept the configuration, without starting
/// anything.
struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Check the configuration, its files, and what `roost serve` and `roost up` would meet here.",
        discussion: """
            Prints each mistake in one line and fails, or prints `ok`. Warnings don't make it fail.
            """
    )

    @OptionGroup var options: ConfigurationOptions
    @Flag(help: "Print a configuration file with every key, its meaning and its value.") var print = false

    func run() async throws {
        let configuration = try options.configuration()
        let services = try options.servicesConfiguration()
        try await checkKeys(of: configuration.auth)
        if print {
            try? FileHandle.standardOutput.write(
                contentsOf: Data((ConfigurationText.head + configuration.text + services.text).utf8))
            return
        }
        let findings = configuration.look()
        for warning in findings.warnings { RoostCommand.write("warning: \(warning)", to: .standardError) }
        for error in findings.errors { RoostCommand.write("Error: \(error)", to: .standardError) }
        guard findings.errors.isEmpty else { throw ExitCode(1) }
        try checkServices()
        RoostCommand.write("ok", to: .standardOutput)
    }

    /// Checks that only the services' program can make, as of routes to a mail server. Without that program nothing is
    /// checked.
    private func checkServices() throws {
        guard FileManager.default.isExecutableFile(atPath: ServicesProgram.path) else { return }
        do { _ = try ServicesProgram.output(of: ["check-config"] + options.words([])) } catch let failure
            as AdminFailure
        {
            throw ConfigurationFailure(failure.description)
        }
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
