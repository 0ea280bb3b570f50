import Glibc

/// Reads and creates key files by system calls, so that a file has its permissions from the first moment. It blocks:
/// the start of the relay and the commands call it, never the loop.
package enum KeyFile {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Whether there is no such file.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && errno == ENOENT
    }

    /// Reads a regular file. With `mustBePrivate`, throws if a user other than the owner has access to it.
    package static func read(_ path: String, bytesMax: Int, mustBePrivate: Bool) throws(KeyFailure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure(path, "can't be opened") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path, "can't be examined") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw KeyFailure("\(path): not a regular file") }
        guard !mustBePrivate || status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw KeyFailure("\(path): not only its owner has access (mode \(mode)); run: chmod 600 \(path)")
        }
        guard status.st_size <= bytesMax else { throw KeyFailure("\(path): larger than \(bytesMax) bytes") }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        var count = 0
        while count < bytesMax {
            let got = bytes.withUnsafeMutableBytes { room in
                Glibc.read(file, room.baseAddress.map { $0 + count }, room.count - count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw failure(path, "can't be read") }
            if got == 0 { break }
            count += got
        }
        return Array(bytes.prefix(count))
    }

    /// Creates a file with mode 0600 in one step: it appears whole or not at all. If another process has created the
    /// file meanwhile, that one stays.
    package static func create(_ path: String, holding bytes: [UInt8]) throws(KeyFailure) {
        let folder = parent(of: path)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure(folder, "can't be created") }
        let draft = "\(path).\(getpid()).\(UInt64.random(in: .min ... .max)).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path, "can't be created") }
        defer { unlink(draft) }
        let isWritten = write(bytes, to: file) && fsync(file) == 0
        guard close(file) == 0, isWritten else { throw failure(path, "can't be written") }
        // Unlike rename(2), link(2) doesn't replace: of two processes the first one's key stays.
        guard link(draft, path) == 0 || errno == EEXIST else { throw failure(path, "can't be created") }
        sync(folder: folder)
    }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let put = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if put < 0 && errno == EINTR { continue }
            guard put > 0 else { return false }
            rest = rest.dropFirst(put)
        }
        return true
    }

    // Makes the file's name survive a power cut. Best effort: some file systems can't sync a folder.
    private static func sync(folder: String) {
        let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        close(file)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ path: String, _ what: String) -> KeyFailure {
        KeyFailure("\(path): \(what): \(String(cString: strerror(errno)))")
    }
}
