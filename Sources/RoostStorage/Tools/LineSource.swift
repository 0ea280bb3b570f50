import Glibc

/// Reads a file line by line, each of a bounded length. Belongs to one thread.
final class LineSource {
    private static let pieceBytes = 262_144

    private let path: String
    private let bytesMax: Int
    private var descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The number of the line that was read last, from 1.
    private(set) var number: Int64 = 0
    /// Bytes of the lines that were read.
    private(set) var byteCount: Int64 = 0

    /// Lines of more than `bytesMax` bytes are refused.
    init(_ path: String, bytesMax: Int) throws {
        self.path = path
        self.bytesMax = bytesMax
        var found = stat()
        guard stat(path, &found) == 0 else { throw ToolFailure.noFile(path: path) }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StorageFailure.cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
    }

    deinit { close(descriptor) }

    /// Gives the next line, without its line feed, to `body`; nil at the end of the file. A last line without a line
    /// feed was cut short.
    func next<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                number += 1
                byteCount += Int64(end + 1 - start)
                defer { start = end + 1 }
                return try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
            }
            searched = buffer.count
            guard buffer.count - start <= bytesMax else {
                throw ToolFailure.line(path: path, number: number + 1, reason: "longer than \(bytesMax) bytes")
            }
            guard !isAtEnd else {
                guard start == buffer.count else {
                    throw ToolFailure.line(path: path, number: number + 1, reason: "the file ends within this line")
                }
                return nil
            }
            searched -= start
            try fill()
        }
    }

    private func fill() throws {
        buffer.removeFirst(start)
        start = 0
        let kept = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: LineSource.pieceBytes))
        var count = 0
        repeat {
            count = buffer.withUnsafeMutableBytes { bytes in
                read(descriptor, bytes.baseAddress.map { $0 + kept }, LineSource.pieceBytes)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
            throw StorageFailure.cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        buffer.removeLast(LineSource.pieceBytes - count)
        isAtEnd = count == 0
    }
}
