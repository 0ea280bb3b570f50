import ArgumentParser
import Foundation
import RoostLoad

/// `roost-load run`: runs scenarios one after the other, writes their reports and prints the verdicts.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run scenarios and judge them.",
        discussion: "A scenario is named by its name in the library (see `list`) or by the path of a file.")

    @Argument(help: ArgumentHelp("Scenarios.", valueName: "scenario")) var names: [String]
    @OptionGroup var flags: RunFlags
    @Option(help: "Messages a second, of all users together.") var rate: Double?
    @Option(help: "Folder for the report. With several scenarios, each gets a folder inside it.") var out: String?
    @Flag(name: .customLong("correctness-only"), help: "Judge only faults, not thresholds or lateness.")
    var judgesOnlyCorrectness = false

    func run() throws {
        var options = flags.options
        options.rate = rate
        options.judgesOnlyCorrectness = judgesOnlyCorrectness
        let scenarios = try flags.prepared(names, options)
        Interruption.install()
        var verdicts: [Report.Verdict] = []
        for scenario in scenarios {
            let report = flags.run(scenario, options)
            verdicts.append(report.verdict)
            try show(report, several: scenarios.count > 1)
            // Ctrl-C also skips the next scenarios.
            if Interruption.isRequested { break }
        }
        throw ExitCode(Report.Verdict.worst(of: verdicts).exitCode)
    }

    private func show(_ report: Report, several: Bool) throws {
        let folder = OutputFolder.path(for: report.scenario.name, asked: out, several: several)
        try report.writeAll(into: folder)
        if flags.isQuiet {
            let reason = report.reasons.first.map { ": \($0)" } ?? ""
            return Output.write("\(report.scenario.name): \(report.verdict.word)\(reason)")
        }
        Output.write(TerminalReport.text(for: report, width: Output.width, colour: Output.hasColour))
        Output.write("Written to \(folder)/report.json, which report.html draws", to: .standardError)
    }
}
