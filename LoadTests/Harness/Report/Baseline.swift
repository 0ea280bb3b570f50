/// What is kept of a report to compare later runs with: figures by name, and what they were measured on; no
/// distributions or timelines. It is stored as `LoadTests/Baselines/NAME.json`. A value.
public struct Baseline: Codable, Sendable, Equatable {
    /// Of this layout; readers refuse a newer one.
    public static let currentFormat = 1

    /// The layout that it has.
    public var format = Baseline.currentFormat
    /// The scenario's name, also of the file.
    public var scenario: String
    /// What the scenario asks, in one sentence.
    public var about: String
    /// Users, conversations and rates, in words.
    public var load: String
    /// As the report's.
    public var verdict: String
    /// ISO 8601, UTC.
    public var started: String
    /// Seconds of measured load.
    public var seconds: Double
    /// As `welcome` said.
    public var relay: String
    /// As `welcome` said.
    public var durability: String
    /// In words.
    public var machine: String
    /// Worker processes.
    public var workers: Int
    /// The command that repeats the run.
    public var command: String
    /// Those of `Figure.all` that were measured, without the short names of delivery's.
    public var figures: [String: Double]

    /// Takes from a report what is worth keeping.
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
