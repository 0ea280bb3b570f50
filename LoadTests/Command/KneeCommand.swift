import ArgumentParser
import Foundation
import RoostLoad

/// `roost-load knee`: finds the highest rate at which a scenario's thresholds hold.
struct KneeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "knee", abstract: "Find the highest rate of messages at which a scenario holds.",
        discussion: """
            Raises the rate by a factor until a threshold breaks or the harness doesn't keep up. Then halves the \
            interval a few times, and runs once more at half of the rate it found. Each step is a separate run.
            """)

    @Argument(help: "The scenario.") var scenario: String
    @OptionGroup var flags: RunFlags
    @Option(help: "First rate in messages a second. If not given, the scenario's.") var from: Double?
    @Option(help: "Factor by which the rate is raised.") var factor = 1.5
    @Option(help: "Number of times the interval is halved.") var bisections = 4
    @Option(help: "Folder for knee.json and for the report of the run at half of the found rate.") var out: String?

    func validate() throws {
        if let from, !(from > 0) { throw ValidationError("--from must be more than 0, not \(from)") }
        guard factor >= 1.05, factor <= 10 else { throw ValidationError("--factor must be 1.05 to 10, not \(factor)") }
        guard (0...8).contains(bisections) else {
            throw ValidationError("--bisections must be 0 to 8, not \(bisections)")
        }
    }

    func run() throws {
        let options = flags.options
        guard let scenario = try flags.prepared([scenario], options).first else { return }
        guard let rate = from ?? scenario.messages?.rate else {
            throw RunFailure("nobody writes in \(scenario.name), so there is no highest rate")
        }
        Interruption.install()
        let search = KneeSearch(from: rate, factor: factor, bisections: bisections)
        let (knee, half) = try KneeRun(scenario, options, runStep: flags.run).run(search) { step in
            Output.write("\(Int(step.rate.rounded())) messages/s: \(step.outcome.rawValue)", to: .standardError)
        }
        Output.write(knee.text(width: Output.width, colour: Output.hasColour))
        let folder = OutputFolder.path(for: "knee-\(scenario.name)", asked: out, several: false)
        try OutputFolder.make(folder)
        try knee.write(to: "\(folder)/knee.json")
        try half?.writeAll(into: folder)
        throw ExitCode(knee.verdict.exitCode)
    }
}
