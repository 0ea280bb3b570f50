public import RoostWire

/// Control frames (RFC 6455, section 5.5): what to send, and what a client's close frame asks for.
public enum ControlFrame {
    /// Most bytes of a control frame from a server: two of header, and the payload.
    public static let bytesMax = 127

    /// The answer to a ping, with the ping's payload of at most 125 bytes.
    public static func pong(_ payload: [UInt8]) -> [UInt8] { frame(0x8A, payload) }

    /// A close frame. A code takes two bytes of its payload, and the reason at most 123. Without a code it is empty.
    public static func close(_ code: UInt16?, reason: StaticString = "") -> [UInt8] {
        guard let code else { return frame(0x88, []) }
        let text = UnsafeBufferPointer(start: reason.utf8Start, count: min(reason.utf8CodeUnitCount, 123))
        return frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + text)
    }

    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first, UInt8(truncatingIfNeeded: payload.count)] + payload
    }

    /// The answer to a client's close frame: its own code, or nil for a frame without one. A payload that can't be one,
    /// or a code that no endpoint may send, is a protocol error; a reason that isn't UTF-8 is an invalid text (RFC
    /// 6455, sections 5.5.1, 7.4 and 8.1).
    public static func answer(toClose payload: [UInt8]) -> Result<UInt16?, CloseFault> {
        guard !payload.isEmpty else { return .success(nil) }
        guard payload.count >= 2 else { return .failure(CloseFault(code: .protocolError)) }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard mayBeSent(code) else { return .failure(CloseFault(code: .protocolError)) }
        let isText = payload.withUnsafeBytes { Text.isValid(UnsafeRawBufferPointer(rebasing: $0[2...])) }
        return isText ? .success(code) : .failure(CloseFault(code: .invalidText))
    }

    // 1004–1006 and 1015 are reserved and never sent; 1012–1014 were registered later; 3000–4999 belong to libraries
    // and applications (RFC 6455, section 7.4, and IANA's registry of close codes).
    private static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
        default: false
        }
    }

    /// A close frame that RFC 6455 forbids.
    public struct CloseFault: Error {
        /// The code to fail the connection with.
        public let code: CloseCode
    }
}
