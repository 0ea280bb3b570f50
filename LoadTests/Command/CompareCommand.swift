import ArgumentParser
import Foundation
import RoostLoad

/// `roost-load compare`: shows two reports side by side. It judges nothing, so it exits with 0 if it can read both.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare two reports side by side.")

    @Argument(help: "A report.json or its folder.") var first: String
    @Argument(help: "Another report.json or its folder.") var second: String

    func run() throws {
        let comparison = Comparison(try Self.report(first), try Self.report(second))
        Output.write(comparison.text(width: Output.width, colour: Output.hasColour))
    }

    private static func report(_ path: String) throws -> Report {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        return try Report.read(exists && isFolder.boolValue ? "\(path)/report.json" : path)
    }
}
