import RoostFraming
import RoostWire

/// libFuzzer's entry: any bytes as what a client sends after its handshake. Beyond "no crash" it checks that messages
/// stay within their bounds, and that the reader finds the same however the bytes are cut: the first byte says how.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let stream = Array(bytes.dropFirst())
    let whole = read(stream, pieces: stream.count)
    check(read(stream, pieces: Int(first) + 1) == whole, "the same bytes in pieces gave something else")
    check(read(stream, pieces: 1) == whole, "the same bytes one by one gave something else")
    return 0
}

private let bounds = FrameReader.Bounds(messageBytes: 1_000, fragments: 8, takesBinary: true)

private enum Read: Equatable {
    case message([UInt8], isBinary: Bool)
    case ping([UInt8])
    case pong
    case close([UInt8], answer: UInt16?)
    case fault(CloseCode)
}

private func read(_ stream: [UInt8], pieces: Int) -> [Read] {
    var reader = FrameReader()
    var found: [Read] = []
    var rest = stream[...]
    while !rest.isEmpty {
        // Copies each piece to a block of exactly its size, so that AddressSanitizer notices one byte too many.
        var piece = Array(rest.prefix(max(pieces, 1)))
        rest = rest.dropFirst(piece.count)
        let isOver = piece.withUnsafeMutableBytes { readPiece($0, &reader, &found) }
        if isOver { break }
    }
    return found
}

// Returns true after a fault.
private func readPiece(
    _ piece: UnsafeMutableRawBufferPointer, _ reader: inout FrameReader, _ found: inout [Read]
) -> Bool {
    var input = piece
    while true {
        switch reader.next(&input, within: bounds) {
        case .wait:
            check(input.isEmpty, "input was left")
            return false
        case .message(let message, let isBinary): found.append(.message(Array(message), isBinary: isBinary))
        case .joinedMessage(let isBinary): found.append(.message(reader.takeMessage(), isBinary: isBinary))
        case .ping(let payload):
            check(payload.count <= 125, "a control frame is short")
            check(ControlFrame.pong(payload).count <= ControlFrame.bytesMax, "and so is its answer")
            found.append(.ping(payload))
        case .pong: found.append(.pong)
        case .emptyFragment: break
        case .close(let payload):
            found.append(.close(payload, answer: (try? ControlFrame.answer(toClose: payload).get()) ?? nil))
        case .fault(let code):
            found.append(.fault(code))
            return true
        }
        if case .message(let message, _) = found.last { check(message.count <= 1_000, "a message is too long") }
    }
}

private func check(_ isTrue: Bool, _ what: String) { if !isTrue { fatalError(what) } }
