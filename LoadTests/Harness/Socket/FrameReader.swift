/// Makes messages of a server's bytes: cuts them into frames and puts fragments together (RFC 6455, section 5). It owns
/// the fragments of one unfinished message, within `messageBytesMax`. Pure: it reads from no socket and sends no
/// answers. It doesn't check UTF-8; the parser of the text does.
struct FrameReader: ~Copyable {
    /// The first part of the bytes. `count` is the number of bytes it takes. Pointers are valid as long as the bytes
    /// are, and until the next call.
    enum Step {
        /// The frame isn't complete. At least this many bytes are needed to go on.
        case incomplete(needed: Int)
        case text(UnsafeRawBufferPointer, count: Int)
        case ping(UnsafeRawBufferPointer, count: Int)
        /// Nothing for the owner: a pong, or a fragment that is kept.
        case none(count: Int)
        /// The last frame that counts. The code is 1005 if the frame has none (RFC 6455, section 7.1.5).
        case close(code: UInt16, reason: UnsafeRawBufferPointer)
        case violation(FrameHeader.Violation)
    }

    private let messageBytesMax: Int
    private var fragments = SocketBuffer()
    private var isFragmented = false
    // Whether the last step handed out the fragments.
    private var isHandedOut = false

    init(messageBytesMax: Int = HarnessLimits.messageBytesMax) {
        self.messageBytesMax = messageBytesMax
    }

    /// Whether it holds no bytes.
    var isEmpty: Bool { !isFragmented && fragments.count == 0 }

    /// Reads the next step from `bytes`, which must follow those of the last step.
    @inline(__always)
    mutating func next(_ bytes: UnsafeRawBufferPointer) -> Step {
        // The common case: a whole text of up to 65,535 bytes in one frame.
        if bytes.count >= 4, bytes[0] == 0x81, bytes[1] <= 126, !isFragmented, !isHandedOut {
            let isShort = bytes[1] < 126
            let length = isShort ? Int(bytes[1]) : Int(bytes[2]) << 8 | Int(bytes[3])
            let header = isShort ? 2 : 4
            if isShort || length >= 126, length <= messageBytesMax {
                guard bytes.count >= header + length else { return .incomplete(needed: header + length) }
                return .text(FrameReader.part(bytes, from: header, count: length), count: header + length)
            }
        }
        return nextOfAny(bytes)
    }

    /// Forgets an unfinished message.
    mutating func clear() {
        fragments.clear()
        (isFragmented, isHandedOut) = (false, false)
    }

    @inline(never)
    private mutating func nextOfAny(_ bytes: UnsafeRawBufferPointer) -> Step {
        if isHandedOut { clear() }
        let header: FrameHeader
        switch FrameHeader.read(bytes) {
        case .incomplete(let needed): return .incomplete(needed: needed)
        case .violation(let violation): return .violation(violation)
        case .header(let read): header = read
        }
        // Checked before the payload arrives, so that a wrong frame is refused at once.
        if let violation = judge(header) { return .violation(violation) }
        let end = header.count + header.payloadCount
        guard bytes.count >= end else { return .incomplete(needed: end) }
        let payload = FrameReader.part(bytes, from: header.count, count: header.payloadCount)
        switch header.opcode {
        case .text, .continuation, .binary: return collect(payload, header)
        case .ping: return .ping(payload, count: end)
        case .pong: return .none(count: end)
        case .close: return FrameReader.close(payload)
        }
    }

    private func judge(_ header: FrameHeader) -> FrameHeader.Violation? {
        switch header.opcode {
        case .close, .ping, .pong: return nil
        case .binary: return .binary
        case .text: if isFragmented { return .unfinishedMessage }
        case .continuation: if !isFragmented { return .strayContinuation }
        }
        return header.payloadCount > messageBytesMax - fragments.count ? .messageTooLong : nil
    }

    private mutating func collect(_ payload: UnsafeRawBufferPointer, _ header: FrameHeader) -> Step {
        let end = header.count + header.payloadCount
        if header.isFinal, !isFragmented { return .text(payload, count: end) }
        isFragmented = !header.isFinal
        fragments.append(payload)
        guard header.isFinal else { return .none(count: end) }
        isHandedOut = true
        return .text(fragments.bytes, count: end)
    }

    private static func close(_ payload: UnsafeRawBufferPointer) -> Step {
        if payload.isEmpty { return .close(code: 1005, reason: payload) }
        guard payload.count >= 2 else { return .violation(.badClose) }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch code {
        // 1004–1006 and 1015 are never sent; other codes below 3000 are unassigned (RFC 6455, section 7.4, and IANA).
        case 1000...1003, 1007...1014, 3000...4999:
            return .close(code: code, reason: part(payload, from: 2, count: payload.count - 2))
        default: return .violation(.badClose)
        }
    }

    @inline(__always)
    private static func part(_ bytes: UnsafeRawBufferPointer, from start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + start }, count: count)
    }
}
