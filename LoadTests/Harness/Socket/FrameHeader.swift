/// The first bytes of a frame from a server (RFC 6455, section 5.2), with all checks that they allow. Pure: no state,
/// no memory of its own.
struct FrameHeader: Equatable {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    enum Reading: Equatable {
        case header(FrameHeader)
        /// At least this many bytes are needed to go on.
        case incomplete(needed: Int)
        case violation(Violation)
    }

    /// Faults that a server must not commit. The number in brackets is the section of RFC 6455.
    enum Violation: String {
        case reservedBits = "reserved bits are set, and no extension was agreed (5.2)"
        case unknownOpcode = "unknown opcode (5.2)"
        case masked = "masked frame from a server (5.1)"
        case longLength = "length not in its shortest form, or above 2^63 (5.2)"
        case controlFragment = "control frame in fragments (5.4)"
        case controlTooLong = "control frame above 125 bytes (5.5)"
        case binary = "binary message, where only text was agreed"
        case messageTooLong = "message too long"
        case strayContinuation = "continuation of nothing (5.4)"
        case unfinishedMessage = "new message within a fragmented one (5.4)"
        case badClose = "close frame without a code that may be sent (5.5.1, 7.4)"
    }

    /// RFC 6455, section 5.5.
    static let controlBytesMax = 125

    let opcode: Opcode
    let isFinal: Bool
    /// Bytes before the payload.
    let count: Int
    let payloadCount: Int

    /// Reads the header at the start of `bytes`.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        guard bytes.count >= 2 else { return .incomplete(needed: 2) }
        let (first, second) = (bytes[0], bytes[1])
        guard first & 0x70 == 0 else { return .violation(.reservedBits) }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { return .violation(.unknownOpcode) }
        guard second & 0x80 == 0 else { return .violation(.masked) }
        let isFinal = first & 0x80 != 0
        if opcode.isControl {
            guard isFinal else { return .violation(.controlFragment) }
            guard second <= controlBytesMax else { return .violation(.controlTooLong) }
        }
        var count = 2
        var length = UInt64(second)
        if second >= 126 {
            count = second == 126 ? 4 : 10
            guard bytes.count >= count else { return .incomplete(needed: count) }
            length = bytes[2..<count].reduce(0) { $0 << 8 | UInt64($1) }
            let shortest: UInt64 = second == 126 ? 126 : 65_536
            guard length >= shortest, length >> 63 == 0 else { return .violation(.longLength) }
        }
        // Limited to a size that can be added to. The caller's bound is far lower.
        let payloadCount = Int(min(length, UInt64(Int32.max)))
        return .header(FrameHeader(opcode: opcode, isFinal: isFinal, count: count, payloadCount: payloadCount))
    }
}
