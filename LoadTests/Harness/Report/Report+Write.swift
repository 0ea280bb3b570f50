import Foundation

/// A report as files. Blocking; not for the loop's thread.
extension Report {
    /// Writes `report.json` to this path, in one step.
    ///
    /// - Throws: `RunFailure`.
    public func write(to path: String) throws { try ReportFile.write(try encoded(), to: path) }

    /// The file: the report, and in words and figures what follows from it.
    func encoded() throws -> Data { try ReportFile.encode(StoredReport(report: self)) }

    /// Writes `report.json`, and two `.hgrm` files for each kind of latency that was measured into a folder, which is
    /// made if it isn't there.
    ///
    /// - Returns: the paths, `report.json` first.
    /// - Throws: `RunFailure`.
    @discardableResult
    public func writeAll(into folder: String) throws -> [String] {
        try OutputFolder.make(folder)
        var paths = ["\(folder)/report.json"]
        try write(to: paths[0])
        for file in percentileFiles {
            let path = "\(folder)/\(file.name)"
            try ReportFile.write(Data(file.text.utf8), to: path)
            paths.append(path)
        }
        return paths
    }

    /// `delivery.hgrm`, `delivery-uncorrected.hgrm` and so on.
    var percentileFiles: [(name: String, text: String)] {
        LatencyKind.allCases.flatMap { kind in
            [("", result.corrected[kind]), ("-uncorrected", result.uncorrected[kind])].compactMap { suffix, measured in
                guard let measured, measured.total > 0 else { return nil }
                return ("\(kind.rawValue)\(suffix).hgrm", PercentileFile.text(of: measured))
            }
        }
    }
}
