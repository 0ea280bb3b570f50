import Foundation

/// Where the files of a run go. No state.
public enum OutputFolder {
    /// `LoadTests/Results/NAME-TIME` within a checkout, else `roost-load-results/NAME-TIME`; `asked` if it was asked
    /// for, with a folder for each scenario if there are `several`.
    public static func path(
        for scenario: String, asked: String?, several: Bool, now: Date = Date(),
        current: String = FileManager.default.currentDirectoryPath
    ) -> String {
        if let asked { return several ? "\(asked)/\(scenario)" : asked }
        var isFolder: ObjCBool = false
        let isCheckout =
            FileManager.default.fileExists(atPath: "\(current)/LoadTests/Scenarios", isDirectory: &isFolder)
            && isFolder.boolValue
        let time = now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted).timeZoneSeparator(.omitted))
        return "\(isCheckout ? "LoadTests/Results" : "roost-load-results")/\(scenario)-\(time)"
    }

    /// Writes a report's files: all of them, or only `report.json`. Returns the first one's path.
    public static func write(_ report: Report, into folder: String, withPage: Bool) throws -> String {
        guard !withPage else { return try report.writeAll(into: folder).first ?? folder }
        try make(folder)
        let path = "\(folder)/report.json"
        try report.write(to: path)
        return path
    }

    /// Makes a folder and those above it.
    public static func make(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw RunFailure("\(folder) can't be created: \(error.localizedDescription)")
        }
    }

    /// Writes a text in one step.
    public static func write(_ text: String, to path: String) throws {
        try ReportFile.write(Data(text.utf8), to: path)
    }
}
