import Foundation
import Testing

@testable import RoostLoad

/// A shell script that stands for a program, in a folder of its own that goes with it.
final class FakeProgram {
    let folder: String
    let path: String

    init(_ lines: String) throws {
        folder = try PrivateFolder.make()
        path = "\(folder)/program"
        // Written by another process: a file that this one has open for writing is open for a moment in whatever is
        // started at the same time too, and can't be run then (ETXTBSY of execve(2)).
        let script = "printf '%s' \"$1\" > \"$2\" && chmod 700 \"$2\""
        let writer = try ChildProcess.start(
            ["/bin/sh", "-c", script, "sh", "#!/bin/sh\n\(lines)\n", path], environment: ChildProcess.environment(),
            output: "/dev/null")
        try #require(writer.wait(seconds: 30) && writer.end == .exited(0))
    }

    deinit { PrivateFolder.remove(folder) }

    func text(of file: String) throws -> String { try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8) }
}
