import Foundation

/// A report as files. Blocking; not for the loop's thread.
extension Report {
    /// Writes `report.json` to this path, in one step.
    ///
    /// - Throws: `ReportFileError`.
    public func write(to path: String) throws { try ReportFile.write(try encoded(), to: path) }

    /// The file: the report, and in words and figures what follows from it.
    func encoded() throws -> Data { try ReportFile.encode(StoredReport(report: self)) }

    /// Reads what `write(to:)` wrote.
    ///
    /// - Throws: `ReportFileError`, among others for a layout that is newer than `currentFormat`.
    public static func read(_ path: String) throws -> Report {
        try read(ReportFile.read(path), name: path)
    }

    static func read(_ data: Data, name: String) throws -> Report {
        try ReportFile.decode(Report.self, format: currentFormat, from: data, name: name)
    }

    /// Writes `report.json`, and two `.hgrm` files for each kind of latency that was measured into a folder, which is
    /// made if it isn't there.
    ///
    /// - Returns: the paths, `report.json` first.
    /// - Throws: `ReportFileError`.
    @discardableResult
    public func writeAll(into folder: String) throws -> [String] {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw ReportFileError(text: "\(folder) cannot be made: \(error.localizedDescription)")
        }
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
