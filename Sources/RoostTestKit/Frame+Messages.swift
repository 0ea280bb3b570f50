import RoostFraming
import RoostWire

extension Frame {
    /// The messages in this frame (RFC 6455, section 5.2; server to client, unmasked). For hosts that read what a relay
    /// writes without a network.
    public func messages() -> [Frame] {
        guard headerCount == 0 else { return [self] }
        var messages: [Frame] = []
        var rest = bytes[...]
        while let message = Frame.first(of: rest) {
            messages.append(message)
            rest = rest.dropFirst(message.count)
        }
        return messages
    }

    private static func first(of rest: Slice<UnsafeRawBufferPointer>) -> Frame? {
        let bytes = UnsafeRawBufferPointer(rebasing: rest)
        guard bytes.count >= 2 else { return nil }
        let short = Int(bytes[1] & 0x7F)
        let header = short < 126 ? 2 : short == 126 ? 4 : 10
        guard bytes.count >= header else { return nil }
        let length = header == 2 ? short : bytes[2..<header].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= header + length else { return nil }
        return Frame.make(framed: UnsafeRawBufferPointer(rebasing: bytes[..<(header + length)]), headerCount: header)
    }
}
