import ArgumentParser
import Foundation
import Logging
import RoostAuth
import RoostConfiguration
import RoostServices

/// `roost-services`: reads the command line, runs one command and turns a failure into an exit code.
///
/// 0 means success, 1 a failure while running, 2 a mistake in the command line, the configuration or a key, which a
/// restart can't repair. Results go to standard output, everything else to standard error.
@main
struct ServicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-services",
        abstract: "Accounts and tokens for a Roost relay. `roost up` runs it.",
        version: "roost-services \(ServicesVersion.number)",
        subcommands: [
            ServeCommand.self, LinkCommand.self, AdminTokenCommand.self, AdminRequestCommand.self,
            ImportFirebaseCommand.self, APIKeyCommand.self, CheckConfigCommand.self, CheckMailCommand.self,
            RotateKeyCommand.self, VersionCommand.self,
        ],
        defaultSubcommand: ServeCommand.self
    )

    static func main() async {
        // A manager may ask for a reload as soon as the process exists.
        let disposition = ReloadSignal.ignore()
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        do {
            var command = try parseAsRoot()
            if !(command is ServeCommand) { ReloadSignal.restore(disposition) }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        switch error {
        case let failure as ConfigurationFailure: end(failure.description, code: 2)
        case let failure as KeyFailure: end(failure.reason, code: 2)
        case let fault as MailSettingsFault: end(fault.description, code: 2)
        case let failure as OutgoingFailure: end("the services don't answer: \(failure)", code: 1)
        case let fault as ServiceFault: end(fault.reason, code: 1)
        default: break
        }
        let code = exitCode(for: error)
        // A request for help or the version also arrives as an error, but isn't a failure.
        write(fullMessage(for: error), to: code.isSuccess ? .standardOutput : .standardError)
        // sysexits(3) uses 64 for wrong usage; Roost uses 2 for everything that the operator has to correct.
        Foundation.exit(code == .validationFailure ? 2 : code.rawValue)
    }

    private static func end(_ line: String, code: Int32) -> Never {
        write("roost-services: \(line)", to: .standardError)
        Foundation.exit(code)
    }

    static func write(_ line: String, to handle: FileHandle = .standardOutput) {
        // A closed output isn't a failure.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
