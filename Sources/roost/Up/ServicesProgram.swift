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
}
