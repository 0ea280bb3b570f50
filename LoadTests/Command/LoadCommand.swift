import ArgumentParser
import Foundation
import RoostConfiguration
import RoostLoad

/// `roost-load`: reads the command line, runs one command and turns the outcome into an exit code.
///
/// 0: every run held. 1: one was broken. 2: one wasn't possible, or there is a mistake in the command line or a
/// scenario. 3: one was invalid. If there are several outcomes, the worst counts, in the order 1, 2, 3, 0. Results go
/// to standard output, everything else to standard error.
@main
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-load",
        abstract: "Put load on a chat relay with simulated users and judge the relay.",
        discussion:
            "Exit codes: 0 held, 1 broken, 2 not possible to run, 3 invalid because the harness didn't keep up.",
        subcommands: [
            RunCommand.self, KneeCommand.self, ListCommand.self, CheckCommand.self, WorkerCommand.self,
        ],
        defaultSubcommand: RunCommand.self
    )

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        switch error {
        case let failure as ConfigurationFailure: end(failure.description)
        case let failure as RunFailure: end(failure.description)
        case let code as ExitCode: Foundation.exit(code.rawValue)
        default:
            let code = exitCode(for: error)
            // A request for help also arrives as an error, but isn't a failure.
            Output.write(fullMessage(for: error), to: code.isSuccess ? .standardOutput : .standardError)
            Foundation.exit(exitNumber(for: error))
        }
    }

    // sysexits(3) uses 64 for wrong usage. Here everything that prevents a run is 2; 1 is a verdict.
    static func exitNumber(for error: any Error) -> Int32 { exitCode(for: error).isSuccess ? 0 : 2 }

    private static func end(_ line: String) -> Never {
        Output.write("roost-load: \(line)", to: .standardError)
        Foundation.exit(Report.Verdict.failed.exitCode)
    }
}

extension Report.Verdict {
    var exitCode: Int32 { Int32(rawValue) }
}

/// Writes output for people. No state.
enum Output {
    static func write(_ text: String, to handle: FileHandle = .standardOutput) {
        // A closed output isn't a failure: the reader may have ended.
        try? handle.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }

    /// Number of columns of standard output.
    static var width: Int { TerminalStyle.width(of: STDOUT_FILENO) ?? TerminalReport.widthMax }
    static var hasColour: Bool { TerminalStyle.of(descriptor: STDOUT_FILENO).isColoured }
}
