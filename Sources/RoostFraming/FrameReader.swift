public import RoostWire

/// Reads the frames of one client out of the bytes that its connection delivers (RFC 6455, section 5), and joins
/// messages that come in parts. A message that lies whole in the bytes is unmasked and handed out where it is; parts
/// are copied. It holds memory only between the first part of a message and the last, and that grows with the bytes
/// that arrived, not with those that a header announces.
public struct FrameReader: ~Copyable {
    /// The frames that a connection accepts.
    public struct Bounds: Sendable {
        /// Most bytes of a message, all its fragments together.
        public var messageBytes: Int
        /// Most fragments of a message.
        public var fragments: Int
        /// Whether binary messages are accepted.
        public var takesBinary: Bool

        /// Creates bounds.
        public init(messageBytes: Int, fragments: Int, takesBinary: Bool = false) {
            self.messageBytes = messageBytes
            self.fragments = fragments
            self.takesBinary = takesBinary
        }
    }

    /// The next step.
    public enum Step {
        /// Nothing more is complete; all input is used.
        case wait
        /// A message that lies whole in the input. A text may still be invalid UTF-8.
        case message(UnsafeRawBufferPointer, isBinary: Bool)
        /// A message that came in parts: fetch it by `takeMessage`.
        case joinedMessage(isBinary: Bool)
        /// A control frame with its payload of at most 125 bytes.
        case ping([UInt8])
        case pong
        case close([UInt8])
        /// A fragment without payload, behind which others follow. It is allowed, and means nothing.
        case emptyFragment
        /// The connection has to be failed with this code: RFC 6455 forbids what was read, or it breaks a bound.
        case fault(CloseCode)
    }

    // A header of which only a part has arrived.
    private var partialHeader: [UInt8] = []
    // The frame whose payload is being read.
    private var opcode = FrameHeader.Opcode.continuation
    private var isFinal = true
    private var isInFrame = false
    private var remaining = 0
    private var mask: UInt32 = 0
    // The message whose fragments are being read.
    private var isPending = false
    private var isBinary = false
    private var fragments = 0
    private var message: [UInt8] = []
    private var control: [UInt8] = []

    /// Before the first frame.
    public init() {}

    /// Takes the next step from the start of `input`, and removes what it used. Payloads are unmasked where they are.
    /// Must not be called again after `fault`.
    public mutating func next(_ input: inout UnsafeMutableRawBufferPointer, within bounds: Bounds) -> Step {
        while true {
            if !isInFrame {
                switch takeHeader(&input) {
                case .incomplete: return .wait
                case .invalid: return .fault(.protocolError)
                case .header(let header):
                    if let fault = begin(header, within: bounds) { return .fault(fault) }
                }
            }
            let part = takePayload(&input)
            if remaining > 0 {
                keep(part)
                return .wait
            }
            isInFrame = false
            if opcode.isControl { return endControl(part) }
            if let step = endData(part, within: bounds) { return step }
        }
    }

    /// Bytes of memory that an unfinished message takes.
    public var heldBytes: Int { message.capacity }

    /// Hands over the message that came in parts.
    public mutating func takeMessage() -> [UInt8] {
        var whole: [UInt8] = []
        swap(&whole, &message)
        return whole
    }

    // MARK: Header

    private mutating func takeHeader(_ input: inout UnsafeMutableRawBufferPointer) -> FrameHeader.Reading {
        guard !partialHeader.isEmpty else {
            let reading = FrameHeader.read(UnsafeRawBufferPointer(input))
            switch reading {
            case .header(let header): input.dropStart(header.count)
            case .incomplete:
                partialHeader.append(contentsOf: input)
                input.dropStart(input.count)
            case .invalid: break
            }
            return reading
        }
        while let byte = input.first {
            partialHeader.append(byte)
            input.dropStart(1)
            let reading = partialHeader.withUnsafeBytes { FrameHeader.read($0) }
            if case .incomplete = reading { continue }
            partialHeader = []
            return reading
        }
        return .incomplete
    }

    // Fragments must follow one another, and only control frames may come between them (RFC 6455, section 5.4).
    private mutating func begin(_ header: FrameHeader, within bounds: Bounds) -> CloseCode? {
        switch header.opcode {
        case .continuation: if !isPending { return .protocolError }
        case .text, .binary:
            if isPending { return .protocolError }
            isBinary = header.opcode == .binary
            if isBinary, !bounds.takesBinary { return .unsupportedData }
        case .close, .ping, .pong: break
        }
        // Refuses a message that is too long before it arrives.
        if !header.opcode.isControl, header.length > bounds.messageBytes - message.count { return .tooBig }
        opcode = header.opcode
        isFinal = header.isFinal
        remaining = header.length
        mask = header.mask
        isInFrame = true
        return nil
    }

    // MARK: Payload

    private mutating func takePayload(_ input: inout UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
        let count = min(remaining, input.count)
        let part = UnsafeMutableRawBufferPointer(rebasing: input[..<count])
        FrameReader.unmask(part, by: mask)
        input.dropStart(count)
        remaining -= count
        if remaining > 0 {
            let turned = UInt32(count & 3) * 8
            mask = turned == 0 ? mask : mask >> turned | mask << (32 - turned)
        }
        return UnsafeRawBufferPointer(part)
    }

    // RFC 6455, section 5.3, eight bytes at a time.
    private static func unmask(_ bytes: UnsafeMutableRawBufferPointer, by mask: UInt32) {
        let wide = UInt64(mask) << 32 | UInt64(mask)
        var at = 0
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ wide
            bytes.storeBytes(of: word.littleEndian, toByteOffset: at, as: UInt64.self)
            at += 8
        }
        var rest = wide
        while at < bytes.count {
            bytes[at] ^= UInt8(truncatingIfNeeded: rest)
            rest >>= 8
            at += 1
        }
    }

    private mutating func keep(_ part: UnsafeRawBufferPointer) {
        if opcode.isControl {
            control.append(contentsOf: part)
        } else {
            isPending = true
            reserve(message.count + part.count)
            message.append(contentsOf: part)
        }
    }

    // Doubles the room, but doesn't go beyond the end of the message where that is known: what waits there may wait
    // long, and in many connections.
    private mutating func reserve(_ needed: Int) {
        guard needed > message.capacity else { return }
        let doubled = max(needed, message.capacity * 2)
        message.reserveCapacity(isFinal ? min(doubled, needed + remaining) : doubled)
    }

    private mutating func endControl(_ part: UnsafeRawBufferPointer) -> Step {
        control.append(contentsOf: part)
        var payload: [UInt8] = []
        swap(&payload, &control)
        switch opcode {
        case .ping: return .ping(payload)
        case .close: return .close(payload)
        default: return .pong
        }
    }

    // Returns nil if more fragments follow.
    private mutating func endData(_ part: UnsafeRawBufferPointer, within bounds: Bounds) -> Step? {
        if isFinal, !isPending { return .message(part, isBinary: isBinary) }
        keep(part)
        fragments += 1
        guard fragments <= bounds.fragments else { return .fault(.tooBig) }
        guard isFinal else { return part.isEmpty ? .emptyFragment : nil }
        isPending = false
        fragments = 0
        return .joinedMessage(isBinary: isBinary)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate mutating func dropStart(_ count: Int) { self = UnsafeMutableRawBufferPointer(rebasing: self[count...]) }
}

/// The header of a frame from a client (RFC 6455, section 5.2).
struct FrameHeader {
    /// The type of a frame. Values are those of RFC 6455, section 11.8.
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= Opcode.close.rawValue }
    }

    /// Meaning of the first bytes of a connection's next frame.
    enum Reading {
        /// The header isn't complete.
        case incomplete
        case header(FrameHeader)
        /// No client may send this.
        case invalid
    }

    /// The longest header: two bytes, eight of length, four of mask.
    static let bytesMax = 14

    let opcode: Opcode
    let isFinal: Bool
    /// Bytes of payload.
    let length: Int
    /// The four bytes of the mask in the order in which they apply, the first one lowest.
    let mask: UInt32
    /// Bytes of the header itself.
    let count: Int

    /// Reads the header at the start of `bytes`. It refuses what RFC 6455 forbids whatever came before: an unmasked
    /// frame (section 5.1), reserved bits, an unknown opcode, a control frame that is split or has more than 125 bytes
    /// (section 5.5), and a length that takes more bytes than it needs. It does so as soon as the bytes that say so are
    /// there.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        guard bytes.count >= 2 else { return .incomplete }
        let first = bytes[0]
        let second = bytes[1]
        guard first & 0x70 == 0, second & 0x80 != 0, let opcode = Opcode(rawValue: first & 0x0F) else {
            return .invalid
        }
        let isFinal = first & 0x80 != 0
        let short = Int(second & 0x7F)
        if opcode.isControl, !isFinal || short > 125 { return .invalid }
        let count = short < 126 ? 6 : short == 126 ? 8 : bytesMax
        guard bytes.count >= count else { return .incomplete }
        var length = UInt64(short)
        if short == 126 {
            length = UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            guard length > 125 else { return .invalid }
        } else if short == 127 {
            length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            guard length > 0xFFFF else { return .invalid }
        }
        // The highest bit of a long length must be 0.
        guard let length = Int(exactly: length) else { return .invalid }
        let mask = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
        return .header(FrameHeader(opcode: opcode, isFinal: isFinal, length: length, mask: mask, count: count))
    }
}
