import Foundation
import Testing

@testable import RoostLoad

/// A shell script in place of a program, in its own folder, which is removed with it.
final class FakeProgram {
    let folder: String
    let path: String

    init(_ lines: String) throws {
        folder = try PrivateFolder.make()
        path = "\(folder)/program"
        // Another process writes the file. If this process had it open for writing, a child that starts at the same
        // time would have it open too for a moment, and it couldn't be run (ETXTBSY of execve(2)).
        let script = "printf '%s' \"$1\" > \"$2\" && chmod 700 \"$2\""
        let writer = try ChildProcess.start(
            ["/bin/sh", "-c", script, "sh", "#!/bin/sh\n\(lines)\n", path], environment: ChildProcess.environment(),
            output: "/dev/null")
        try #require(writer.wait(seconds: 30) && writer.end == .exited(0))
    }

    deinit { PrivateFolder.remove(folder) }

    func text(of file: String) throws -> String { try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8) }
}
