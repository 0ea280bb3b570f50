import ArgumentParser
import Foundation
import RoostLoad

/// `roost-load baseline`: runs scenarios and keeps the figures of those that held, to compare later runs with.
struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline", abstract: "Run scenarios and keep their figures.",
        discussion: "Without arguments, runs all scenarios of the library.")

    @Argument(help: ArgumentHelp("Scenarios.", valueName: "scenario")) var names: [String] = []
    @OptionGroup var flags: RunFlags
    @Option(help: "The folder.") var out = "LoadTests/Baselines"

    func run() throws {
        let options = flags.options
        let wanted = names.isEmpty ? try ScenarioLibrary.find(option: flags.scenarios).names() : names
        let scenarios = try flags.prepared(wanted, options)
        Interruption.install()
        try OutputFolder.make(out)
        var verdicts: [Report.Verdict] = []
        for scenario in scenarios {
            let report = flags.run(scenario, options)
            verdicts.append(report.verdict)
            try keep(report)
            if Interruption.isRequested { break }
        }
        let table = try BaselineTable(folder: out)
        try OutputFolder.write(table.markdown, to: "\(out)/README.md")
        throw ExitCode(Report.Verdict.worst(of: verdicts).exitCode)
    }

    private func keep(_ report: Report) throws {
        let name = report.scenario.name
        guard report.verdict == .held else {
            let reason = report.reasons.first.map { ": \($0)" } ?? ""
            return Output.write("\(name): \(report.verdict.word), not kept\(reason)")
        }
        try Baseline(report).write(to: "\(out)/\(name).json")
        Output.write("\(name): held, kept")
    }
}
