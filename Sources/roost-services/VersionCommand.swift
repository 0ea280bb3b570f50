import ArgumentParser
import RoostServices

/// `roost-services version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version and the commit.")

    func run() {
        ServicesCommand.write(
            "roost-services \(ServicesVersion.number)\ncommit \(ServicesVersion.commit ?? "unknown")")
    }
}
