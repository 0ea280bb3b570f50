import ArgumentParser
import Foundation
import RoostServer

/// `roost version`: what was built, what it stores and what it speaks.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version, the commit, the schema of the store and the protocol.")

    func run() {
        let lines = [
            "roost \(ServerVersion.number)", "commit \(ServerVersion.commit ?? "unknown")",
            "schema \(ServerVersion.schema)", "protocol roost.v1",
        ]
        RoostCommand.write(lines.joined(separator: "\n"), to: .standardOutput)
    }
}
