import Foundation
import Glibc

/// The program `roost-services`, which is installed beside this one.
enum ServicesProgram {
    /// Where it is.
    static var path: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "roost"
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("roost-services").path
    }

    /// Becomes one of its commands, on the data of `roost up` with these options.
    static func become(_ words: [String], _ up: UpOptions) throws -> Never {
        var all: [UnsafeMutablePointer<CChar>?] =
            ([path] + words + up.words(try up.services().added)).map { strdup($0) } + [nil]
        execv(path, &all)
        throw ServicesFailure(description: "\(path): can't be run: \(String(cString: strerror(errno)))")
    }

    /// Runs one of its commands to the end, and returns what it printed.
    /// - Parameter input: at most 16 KiB, which a pipe takes at once.
    static func output(
        of words: [String], input: [UInt8] = [], environment: [String: String] = [:], program: String = path
    ) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (given, said, problem) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (given, said, problem)
        do { try process.run() } catch {
            throw AdminFailure("\(program): can't be run; build it, or name it by --services")
        }
        try? given.fileHandleForWriting.write(contentsOf: Data(input))
        try? given.fileHandleForWriting.close()
        let text = (try? said.fileHandleForReading.readToEnd()) ?? Data()
        let lines = (try? problem.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let line = String(decoding: lines, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? "failed"
            throw AdminFailure(line.hasPrefix("roost-services: ") ? String(line.dropFirst(16)) : line)
        }
        return [UInt8](text)
    }
}
