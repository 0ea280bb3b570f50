import Glibc

/// Reads small files, mainly of /proc, as text with a bound on the size. Blocks for microseconds; any thread.
enum ProcFile {
    /// More than any file of /proc read here has, even with 512 processors.
    static let bytesMax = 1_048_576

    /// Returns nil if the file can't be read.
    static func text(_ path: String, bytesMax: Int = ProcFile.bytesMax) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < bytesMax {
            let count = read(file, &piece, min(piece.count, bytesMax - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
