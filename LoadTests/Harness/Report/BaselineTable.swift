import Foundation

/// All baselines as a Markdown page, `LoadTests/Baselines/README.md`. Each machine has its own table, because figures
/// of different machines can't be compared. The same baselines give the same page. Blocks where it reads files.
public struct BaselineTable: Sendable {
    private let baselines: [Baseline]

    /// A table of baselines in any order.
    public init(_ baselines: [Baseline]) {
        self.baselines = baselines.sorted {
            ($0.machine, $0.scenario, $0.started) < ($1.machine, $1.scenario, $1.started)
        }
    }

    /// Of every `.json` file of a folder.
    ///
    /// - Throws: `ReportFileError`.
    public init(folder: String) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw ReportFileError(text: "\(folder) cannot be read: \(error.localizedDescription)")
        }
        let baselines = names.filter { $0.hasSuffix(".json") }
        self.init(try baselines.sorted().map { try Baseline.read("\(folder)/\($0)") })
    }

    private static let columns: [(title: String, figure: String)] = [
        ("p50 ms", "delivery_p50_ms"), ("p99 ms", "delivery_p99_ms"), ("p99.9 ms", "delivery_p999_ms"),
        ("max ms", "delivery_max_ms"), ("ack p99 ms", "ack_p99_ms"), ("deliveries/s", "deliveries_per_second"),
        ("recovery s", "recovery_seconds"), ("CPU µs a delivery", "cpu_us_per_delivery"),
        ("KiB a session", "kib_per_session"),
    ]

    /// The page.
    public var markdown: String {
        var lines = [
            "# Baselines", "",
            "Made by `roost-load`; don't edit this page. One run each. Latencies are of deliveries where nothing else "
                + "is said, and timed from the moment each message was due.",
        ]
        let machines = Set(baselines.map(\.machine)).sorted()
        for machine in machines {
            let here = baselines.filter { $0.machine == machine }
            lines += ["", "## \(Self.cell(machine))", ""]
            lines.append(Self.row(["Scenario", "Date", "Verdict", "Durability"] + Self.columns.map(\.title)))
            lines.append(Self.row(Array(repeating: "---", count: 4) + Self.columns.map { _ in "---:" }))
            lines += here.map { Self.row(of: $0) }
            lines += ["", "What each asks:", ""]
            lines += here.map { "* `\(Self.cell($0.scenario))`: \(Self.cell($0.about)) \(Self.cell($0.load))." }
        }
        if baselines.isEmpty { lines += ["", "There are none yet."] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(of baseline: Baseline) -> String {
        let name = cell(baseline.scenario)
        let day = String(baseline.started.prefix(10))
        let figures = columns.map { baseline.figures[$0.figure].map(Readable.figure) ?? "" }
        let link = "[\(name)](\(name).json)"
        return row([link, cell(day), cell(baseline.verdict), cell(baseline.durability)] + figures)
    }

    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    // Escapes a name, so that a pipe, a bracket, a tag or a line break can't damage the page.
    private static func cell(_ text: String) -> String {
        var cell = ""
        for character in Readable.harmless(text) {
            if "\\|[]<>*`".contains(character) { cell.append("\\") }
            cell.append(character)
        }
        return cell
    }
}
