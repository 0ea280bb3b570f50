import ArgumentParser
import Foundation
import RoostLoad

/// `roost-load`: reads the command line, runs one command and turns what came out into an exit code.
///
/// 0: every run held. 1: one was broken. 2: one could not be run, or the command line or a scenario is wrong. 3: one
/// proves nothing. Of several the worst counts, in the order 1, 2, 3, 0. Results go to standard output, everything else
/// to standard error.
@main
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-load",
        abstract: "Load a chat relay with simulated users, and judge what they get.",
        discussion: "Exit codes: 0 held, 1 broken, 2 could not run, 3 the harness didn't keep up.",
        subcommands: [
            RunCommand.self, CompareCommand.self, KneeCommand.self, ListCommand.self, CheckCommand.self,
            BaselineCommand.self, WorkerCommand.self,
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
        case let failure as ScenarioFailure: end(failure.description)
        case let failure as RunFailure: end(failure.description)
        case let failure as ReportFileError: end(failure.description)
        case let code as ExitCode: Foundation.exit(code.rawValue)
        default:
            let code = exitCode(for: error)
            // Asking for help isn't a failure, though it comes as an error.
            Output.write(fullMessage(for: error), to: code.isSuccess ? .standardOutput : .standardError)
            Foundation.exit(exitNumber(for: error))
        }
    }

    // sysexits(3) has 64 for usage; here whatever keeps a run from being run is 2, and 1 is a verdict.
    static func exitNumber(for error: any Error) -> Int32 { exitCode(for: error).isSuccess ? 0 : 2 }

    private static func end(_ line: String) -> Never {
        Output.write("roost-load: \(line)", to: .standardError)
        Foundation.exit(Report.Verdict.failed.exitCode)
    }
}

extension Report.Verdict {
    var exitCode: Int32 { Int32(rawValue) }
}

/// Writing for people. No state.
enum Output {
    static func write(_ text: String, to handle: FileHandle = .standardOutput) {
        // A reader that is gone is no reason to fail.
        try? handle.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }

    /// Columns of standard output.
    static var width: Int { TerminalStyle.width(of: STDOUT_FILENO) ?? TerminalReport.widthMax }
    static var hasColour: Bool { TerminalStyle.of(descriptor: STDOUT_FILENO).isColoured }
}
