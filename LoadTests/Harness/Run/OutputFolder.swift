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

    /// Makes a folder and those above it.
    public static func make(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw RunFailure("\(folder) can't be created: \(error.localizedDescription)")
        }
    }
}
