import Glibc

/// Reads and makes key files with nothing between Roost and the kernel, so that permissions hold from the first
/// moment. Blocks: it is called at the start and by the commands, never on the loop.
enum KeyFile {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && errno == ENOENT
    }

    /// The bytes of a regular file. With `mustBePrivate`, a file that others than its owner can read is refused.
    static func read(_ path: String, bytesMax: Int, mustBePrivate: Bool) throws(KeyFailure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure(path, "can't be opened") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path, "can't be looked at") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw KeyFailure("\(path): not a regular file") }
        guard !mustBePrivate || status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw KeyFailure("\(path): others than its owner can use it (mode \(mode)); run: chmod 600 \(path)")
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

    /// Makes a file with mode 0600 that appears whole or not at all. Leaves a file alone that came to be meanwhile.
    static func create(_ path: String, holding bytes: [UInt8]) throws(KeyFailure) {
        let folder = parent(of: path)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure(folder, "can't be made") }
        let draft = "\(path).\(getpid()).\(UInt64.random(in: .min ... .max)).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path, "can't be made") }
        defer { unlink(draft) }
        let isWritten = write(bytes, to: file) && fsync(file) == 0
        guard close(file) == 0, isWritten else { throw failure(path, "can't be written") }
        // Unlike rename(2), link(2) doesn't replace: of two processes the first one's key stays.
        guard link(draft, path) == 0 || errno == EEXIST else { throw failure(path, "can't be made") }
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

    // So that the name survives a power cut too. Best effort: not every file system lets a folder be synced.
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
