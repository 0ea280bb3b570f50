import Foundation

@testable import RoostStorage

/// Everything in a folder that a command which only reads must leave as it is: names, bytes, modes, owners and times.
struct FolderState: Equatable {
    struct File: Equatable {
        var bytes: Data
        var mode: UInt32
        var owner: UInt32
        /// When it was written last: seconds and nanoseconds.
        var written: [Int]
        var link: String?
    }

    var files: [String: File] = [:]

    init(_ scratch: Scratch) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path) {
            var found = stat()
            guard lstat(scratch.path(name), &found) == 0 else { continue }
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: scratch.path(name))
            files[name] = File(
                bytes: (try? Data(contentsOf: URL(fileURLWithPath: scratch.path(name)))) ?? Data(),
                mode: UInt32(found.st_mode), owner: UInt32(found.st_uid),
                written: [Int(found.st_mtim.tv_sec), Int(found.st_mtim.tv_nsec)], link: link)
        }
    }

    /// The differences, for messages.
    func differences(from other: FolderState) -> [String] {
        Set(files.keys).union(other.files.keys).sorted().filter { files[$0] != other.files[$0] }
    }
}
