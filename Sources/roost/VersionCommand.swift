import ArgumentParser
import Foundation
import RoostServer

/// `roost version`: the same as `roost --version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    func run() {
        RoostCommand.write("roost \(ServerVersion.number)", to: .standardOutput)
    }
}
