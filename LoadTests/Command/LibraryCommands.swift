import ArgumentParser
import Foundation
import RoostConfiguration
import RoostLoad

/// `roost-load list`: lists the scenarios of the library, one on each line.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the scenarios.")

    @Option(help: "Folder of the scenarios. If not given, $ROOST_SCENARIOS; if that is not set, LoadTests/Scenarios.")
    var scenarios: String?

    func run() throws {
        let all = try ScenarioLibrary.find(option: scenarios).list()
        let width = all.map(\.name.count).max() ?? 0
        for scenario in all {
            let gap = String(repeating: " ", count: width - scenario.name.count + 2)
            Output.write("\(scenario.name)\(gap)\(scenario.about)")
        }
    }
}

/// `roost-load check`: checks whether each file can be run. It checks all files, and exits with 2 if one has a mistake.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check scenario files without running them.")

    @Argument(help: ArgumentHelp("Files.", valueName: "file")) var files: [String]

    func run() throws {
        var isWrong = false
        let library = ScenarioLibrary(folder: ".")
        for file in files {
            do throws(ConfigurationFailure) {
                // A bare name is a file in the current folder, never a scenario of the library.
                _ = try library.scenario(file.contains("/") ? file : "./\(file)")
                Output.write("\(file): no mistakes")
            } catch {
                isWrong = true
                Output.write(error.description, to: .standardError)
            }
        }
        if isWrong { throw ExitCode(Report.Verdict.failed.exitCode) }
    }
}

/// `roost-load worker`: one process of a run with several. `run --workers` starts it.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

    @Argument(help: "The file with the worker's orders.") var order: String

    func run() throws {
        Interruption.install()
        try WorkerOrder.carryOut(file: order)
    }
}
