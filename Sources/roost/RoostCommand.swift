import ArgumentParser
import Foundation
import RoostAuth
import RoostServer

/// `roost`: reads the command line, runs one command and turns what went wrong into an exit code.
///
/// 0 is success, 1 a failure while running, 2 a mistake in the command line or the configuration, which no restart
/// repairs. Results go to standard output, everything else to standard error.
@main
struct RoostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "A self-hosted real-time chat relay with presence.",
        version: "roost \(ServerVersion.number)",
        subcommands: [
            ServeCommand.self, ChatCommand.self, CheckConfigCommand.self, TokenCommand.self, VersionCommand.self,
        ]
    )

    // On the main actor, so that a command that doesn't wait for anything, like `serve`, runs on the main thread
    // before the concurrency pool has any.
    @MainActor static func main() async {
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
        case let failure as ServerFailure: end(failure.description, code: 1)
        default:
            let code = exitCode(for: error)
            // Asking for help or the version isn't a failure, though it comes as an error.
            write(fullMessage(for: error), to: code.isSuccess ? .standardOutput : .standardError)
            // sysexits(3) has 64 for usage; Roost has one code for whatever the operator has to correct.
            Foundation.exit(code == .validationFailure ? 2 : code.rawValue)
        }
    }

    private static func end(_ line: String, code: Int32) -> Never {
        write("roost: \(line)", to: .standardError)
        Foundation.exit(code)
    }

    static func write(_ line: String, to handle: FileHandle) {
        // A reader that is gone is no reason to fail.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
