import ArgumentParser
import Foundation
import RoostAuth
import RoostChat
import RoostConfiguration
import RoostServer

/// `roost`: reads the command line, runs one command and turns a failure into an exit code.
///
/// 0 means success, 1 a failure while running, 2 a mistake in the command line, the configuration or a key, which a
/// restart can't repair. Results go to standard output, everything else to standard error.
@main
struct RoostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "A self-hosted backend for real-time chat.",
        version: "roost \(ServerVersion.number)",
        subcommands: [
            ServeCommand.self, UpCommand.self, StoreCommand.self, ContactsCommand.self, ChatCommand.self,
            AdminCommand.self, TopCommand.self, CheckConfigCommand.self, DoctorCommand.self, LinkCommand.self,
            TokenCommand.self, VersionCommand.self,
        ]
    )

    // On the main actor, so that `serve`, which never waits, runs on the main thread before Swift's pool has any
    // thread.
    @MainActor static func main() async {
        // A manager may ask for a reload as soon as the process exists.
        let serving = [ServeCommand.configuration.commandName, UpCommand.configuration.commandName]
        if let name = CommandLine.arguments.dropFirst().first, serving.contains(name) { Server.holdReloads() }
        do {
            var command = try parseAsRoot()
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
        case let failure as TokenFailure: end("\(failure.reason)", code: 2)
        case let failure as ChatFailure: end(failure.description, code: 1)
        case let failure as AdminFailure: end(failure.description, code: 1)
        case let failure as ServerFailure: end(failure.description, code: 1)
        case let failure as ServicesFailure: end(failure.description, code: 1)
        case let failure as StoreToolFailure: end(failure.description, code: failure.isMistake ? 2 : 1)
        default:
            let code = exitCode(for: error)
            // A request for help or the version also arrives as an error, but isn't a failure.
            write(fullMessage(for: error), to: code.isSuccess ? .standardOutput : .standardError)
            // sysexits(3) uses 64 for wrong usage; Roost uses 2 for everything that the operator has to correct.
            Foundation.exit(code == .validationFailure ? 2 : code.rawValue)
        }
    }

    private static func end(_ line: String, code: Int32) -> Never {
        write("roost: \(line)", to: .standardError)
        Foundation.exit(code)
    }

    static func write(_ line: String, to handle: FileHandle) {
        // A closed output isn't a failure.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
