import ArgumentParser
import Foundation
import RoostLoad

/// `roost-load run`: runs scenarios one after the other, writes their reports and says what came out.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run scenarios and judge them.",
        discussion: "A scenario is a name of the library (see `list`) or the path of a file.")

    @Argument(help: ArgumentHelp("Scenarios.", valueName: "scenario")) var names: [String]
    @OptionGroup var flags: RunFlags
    @Option(help: "Messages a second, in all.") var rate: Double?
    @Option(help: "The folder for reports; with several scenarios each has one within it.") var out: String?
    @Flag(name: .customLong("no-html"), help: "Only report.json.") var isWithoutPage = false
    @Flag(name: .customLong("correctness-only"), help: "Only faults count; thresholds and lateness aren't judged.")
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
            // Who presses Ctrl-C doesn't want the next one either.
            if Interruption.isRequested { break }
        }
        throw ExitCode(Report.Verdict.worst(of: verdicts).exitCode)
    }

    private func show(_ report: Report, several: Bool) throws {
        let folder = OutputFolder.path(for: report.scenario.name, asked: out, several: several)
        let path = try OutputFolder.write(report, into: folder, withPage: !isWithoutPage)
        if flags.isQuiet {
            let reason = report.reasons.first.map { ": \($0)" } ?? ""
            return Output.write("\(report.scenario.name): \(report.verdict.word)\(reason)")
        }
        Output.write(TerminalReport.text(for: report, width: Output.width, colour: Output.hasColour))
        Output.write("Written to \(path)", to: .standardError)
    }
}
