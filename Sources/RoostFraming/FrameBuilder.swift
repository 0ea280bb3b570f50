import RoostWire

/// Writes a message and frames it (RFC 6455, section 5.2; server to client: unmasked).
public typealias FrameBuilder = JSONWriter

extension FrameBuilder {
    /// Ends the object and frames it as one text message.
    public func finish() -> Frame {
        end()
        let header = TextHeader.count(payload: written.count)
        guard let text = written.baseAddress else { return FrameBuilder.ping() }
        let start = UnsafeMutableRawPointer(mutating: text - header)
        TextHeader.write(payload: written.count, to: start)
        return Frame.make(
            framed: UnsafeRawBufferPointer(start: start, count: header + written.count), headerCount: header)
    }

    /// A ping frame with one byte of payload: libwebsockets, which some clients use, doesn't report an empty one.
    public static func ping() -> Frame {
        let bytes: [UInt8] = [0x89, 0x01, 0x72]
        return bytes.withUnsafeBytes { Frame.make(framed: $0, headerCount: 2) }
    }
}
