import Glibc

/// Writes lines of an export to a new file, or to standard output, in large pieces. Belongs to one thread.
final class LineSink {
    private static let pieceBytes = 262_144

    private let file: NewFile?
    private var writer = ExportLineWriter()
    private(set) var lines: Int64 = 0
    private(set) var byteCount: Int64 = 0

    /// nil: standard output.
    init(_ file: NewFile?) { self.file = file }

    func write(_ line: ExportLine) throws {
        writer.write(line)
        lines += 1
        if writer.bytes.count >= LineSink.pieceBytes { try flush() }
    }

    /// Writes the last line, which counts those before it, and whatever is left.
    func finish() throws {
        try write(.end(lines: lines))
        try flush()
    }

    private func flush() throws {
        byteCount += Int64(writer.bytes.count)
        try writer.bytes.withUnsafeBytes { bytes in
            if let file { try file.write(bytes) } else { try LineSink.writeOut(bytes) }
        }
        writer.removeAll()
    }

    private static func writeOut(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(STDOUT_FILENO, start, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw ToolFailure.cannotWrite(path: "standard output", reason: String(cString: strerror(errno)))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}
