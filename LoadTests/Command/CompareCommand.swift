import ArgumentParser
import Foundation
import RoostLoad

/// `roost-load compare`: two reports side by side. It judges nothing, so it ends with 0 if both can be read.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Put two reports side by side.")

    @Argument(help: "A report.json, or the folder that it is in.") var first: String
    @Argument(help: "Another.") var second: String

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
