import Glibc

/// A pipe, whose other end is read to see what was written.
final class PipeEnds {
    let readEnd: Int32
    let writeEnd: Int32

    struct Failure: Error {}

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure() }
        (readEnd, writeEnd) = (ends[0], ends[1])
        // Reading doesn't wait, so that a display that writes nothing fails the test instead of blocking it.
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// The text written since the last call.
    func take() -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(readEnd, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
