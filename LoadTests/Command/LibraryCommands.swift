import ArgumentParser
import Foundation
import RoostLoad

/// `roost-load list`: the scenarios of the library, a line each.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the scenarios there are.")

    @Option(help: "The folder of scenarios, else $ROOST_SCENARIOS, else LoadTests/Scenarios.") var scenarios: String?

    func run() throws {
        let all = try ScenarioLibrary.find(option: scenarios).list()
        let width = all.map(\.name.count).max() ?? 0
        for scenario in all {
            let gap = String(repeating: " ", count: width - scenario.name.count + 2)
            Output.write("\(scenario.name)\(gap)\(scenario.about)")
        }
    }
}

/// `roost-load check`: says of each file whether it can be run. All are looked at; one that can't be is enough for 2.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check scenario files without running them.")

    @Argument(help: ArgumentHelp("Files.", valueName: "file")) var files: [String]

    func run() throws {
        var isWrong = false
        let library = ScenarioLibrary(folder: ".")
        for file in files {
            do throws(ScenarioFailure) {
                // A bare name is a file of this folder here, and never one of the library.
                _ = try library.scenario(file.contains("/") ? file : "./\(file)")
                Output.write("\(file): right")
            } catch {
                isWrong = true
                Output.write(error.description, to: .standardError)
            }
        }
        if isWrong { throw ExitCode(Report.Verdict.failed.exitCode) }
    }
}

/// `roost-load worker`: one process of a run with several; `run --workers` starts it.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

    @Argument(help: "The file that says what to do.") var order: String

    func run() throws {
        Interruption.install()
        try WorkerOrder.carryOut(file: order)
    }
}
