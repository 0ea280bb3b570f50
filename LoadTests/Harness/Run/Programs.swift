import Foundation

/// Finds the programs that a run starts. No state.
enum Programs {
    /// This one.
    static func own() throws(RunFailure) -> String {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            throw RunFailure("/proc/self/exe can't be read, so no worker can be started")
        }
        return path
    }

    /// The relay's: as the option says, as the variable says, or beside this program.
    static func relay(
        option: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(RunFailure) -> String {
        let variable = environment["ROOST_BINARY"].flatMap { $0.isEmpty ? nil : $0 }
        if let path = option ?? variable {
            guard isProgram(path) else { throw RunFailure("\(path): not a program") }
            return path
        }
        let beside = URL(fileURLWithPath: try own()).deletingLastPathComponent().appendingPathComponent("roost").path
        guard isProgram(beside) else {
            throw RunFailure(
                "\(beside): no relay found; name one with --roost or ROOST_BINARY, or a running one with --url")
        }
        return beside
    }

    private static func isProgram(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }
}
