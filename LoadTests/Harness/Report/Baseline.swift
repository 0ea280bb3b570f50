/// The part of a report that is kept to compare later runs with: figures by name and the machine, without distributions
/// and timelines. Stored as `LoadTests/Baselines/NAME.json`. A value.
public struct Baseline: Codable, Sendable, Equatable {
    /// The present version of the layout. Readers refuse a newer one.
    public static let currentFormat = 1

    /// The version of this baseline's layout.
    public var format = Baseline.currentFormat
    /// The scenario's name, which is also the file's.
    public var scenario: String
    /// The question that the scenario answers.
    public var about: String
    /// Users, conversations and rates, in words.
    public var load: String
    /// The report's verdict.
    public var verdict: String
    /// When the run started, in ISO 8601, UTC.
    public var started: String
    /// Seconds of measured load.
    public var seconds: Double
    /// The relay, as in `welcome`.
    public var relay: String
    /// The durability, as in `welcome`.
    public var durability: String
    /// The machine, in words.
    public var machine: String
    /// Number of worker processes.
    public var workers: Int
    /// The command that repeats the run.
    public var command: String
    /// The measured figures of `Figure.all`, without the short names of those of deliveries.
    public var figures: [String: Double]

    /// Keeps the important part of a report.
    public init(_ report: Report) {
        scenario = report.scenario.name
        about = report.scenario.about
        load = report.scenario.loadText
        verdict = report.verdict.word
        started = report.started
        seconds = report.result.seconds
        relay = report.result.relay
        durability = report.result.durability
        machine = report.machine.text
        workers = report.workers
        command = report.command
        figures = [:]
        for figure in Figure.all where !Comparison.isShortName(figure.name) {
            figures[figure.name] = report.figure(named: figure.name)
        }
    }

    /// Writes it to a file, in one step.
    ///
    /// - Throws: `ReportFileError`.
    public func write(to path: String) throws { try ReportFile.write(try ReportFile.encode(self), to: path) }

    /// Reads what `write(to:)` wrote.
    ///
    /// - Throws: `ReportFileError`, among others for a layout that is newer than `currentFormat`.
    public static func read(_ path: String) throws -> Baseline {
        try ReportFile.decode(
            Baseline.self, format: currentFormat, from: ReportFile.read(path), name: path)
    }
}
