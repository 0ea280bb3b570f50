import RoostWire

/// Text messages framed one after another in one block of memory (RFC 6455, section 5.2; server to client: unmasked),
/// to become one `Frame`. Used by one thread; reuses its memory for the next frame.
public struct JoinedFrames: ~Copyable {
    private static let keptBytes = 1_048_576
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
    /// The number of bytes.
    public private(set) var count = 0

    /// Creates an empty one.
    public init() {}

    deinit { buffer.deallocate() }

    /// Ends the object that was begun in a builder, and adds it.
    /// - Returns: the place of its frame.
    @discardableResult
    public mutating func append(_ builder: FrameBuilder) -> Range<Int> {
        let begin = count
        let json = builder.written
        let payload = json.count + 1
        let header = TextHeader.count(payload: payload)
        let needed = count + header + payload
        if needed > buffer.count { grow(to: needed) }
        guard let start = buffer.baseAddress, let source = json.baseAddress else { return begin..<begin }
        TextHeader.write(payload: payload, to: start + count)
        count += header
        (start + count).copyMemory(from: source, byteCount: json.count)
        count += payload
        buffer[count - 1] = UInt8(ascii: "}")
        return begin..<count
    }

    /// Adds a text message that consists of these parts.
    public mutating func append(
        payload first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer = .empty,
        _ third: UnsafeRawBufferPointer = .empty
    ) {
        let payload = first.count + second.count + third.count
        let header = TextHeader.count(payload: payload)
        if count + header + payload > buffer.count { grow(to: count + header + payload) }
        guard let start = buffer.baseAddress else { return }
        TextHeader.write(payload: payload, to: start + count)
        count += header
        append(framed: first)
        append(framed: second)
        append(framed: third)
    }

    /// Adds complete frames unchanged.
    public mutating func append(framed bytes: UnsafeRawBufferPointer) {
        let needed = count + bytes.count
        if needed > buffer.count { grow(to: needed) }
        guard let start = buffer.baseAddress, let source = bytes.baseAddress else { return }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count = needed
    }

    /// Returns what was added as one frame, and becomes empty.
    public mutating func take() -> Frame {
        let frame = Frame.make(framed: UnsafeRawBufferPointer(rebasing: buffer[..<count]), headerCount: 0)
        count = 0
        if buffer.count > Self.keptBytes {
            buffer.deallocate()
            buffer = .allocate(byteCount: 4_096, alignment: 1)
        }
        return frame
    }

    private mutating func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, buffer.count * 2), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        buffer.deallocate()
        buffer = larger
    }
}

extension UnsafeRawBufferPointer {
    /// No bytes.
    public static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}
