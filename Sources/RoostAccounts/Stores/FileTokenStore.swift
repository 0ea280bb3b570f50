#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file that only its owner may read. It is replaced as a whole, and is on disk when that is done.
public struct FileTokenStore: TokenStore {
    /// Most bytes of the file. It has 1,000.
    private static let bytesMax = 65_536

    /// The system's reason, and nothing of what is kept.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// One line, with the path.
        public let description: String
    }

    private let path: String

    /// - Parameter path: the file. Its folder must exist, and be the app's own.
    public init(path: String) { self.path = path }

    private func failure() -> Failure { Failure(description: "\(path): \(String(cString: strerror(errno)))") }

    /// Returns the contents of the file; nil if there is none.
    public func load() throws -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure()
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= FileTokenStore.bytesMax {
            let count = read(file, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            guard count > 0 else { return bytes }
            bytes += room[..<count]
        }
        throw Failure(description: "\(path): has more than \(FileTokenStore.bytesMax) bytes")
    }

    /// Replaces the file.
    public func save(_ bytes: [UInt8]) throws {
        let draft = path + ".new"
        // One that a process left which was killed.
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw abandoned(file, draft) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0 else { throw abandoned(file, draft) }
        close(file)
        guard rename(draft, path) == 0 else { throw failure() }
        syncFolder()
    }

    private func abandoned(_ file: Int32, _ draft: String) -> Failure {
        let failure = failure()
        close(file)
        unlink(draft)
        return failure
    }

    /// Deletes the file.
    public func clear() throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure() }
        syncFolder()
    }

    // So that the name outlives a power cut. Some file systems can't.
    private func syncFolder() {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let file = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        close(file)
    }
}
