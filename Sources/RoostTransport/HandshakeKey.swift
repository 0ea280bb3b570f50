internal import CLibwebsockets

/// The nonce of a client's handshake, and the answer that proves that the server speaks WebSocket.
enum HandshakeKey {
    /// Whether it is 16 bytes in base64: 22 characters and two of padding.
    static func isNonce(_ key: String) -> Bool {
        guard key.utf8.count == 24, key.hasSuffix("==") else { return false }
        return key.utf8.dropLast(2).allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }

    /// The value of `Sec-WebSocket-Accept` (RFC 6455, section 4.2.2, step 5.4).
    static func answer(to key: String) -> String {
        let answered = Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(shim_accept_bytes)) { text in
            guard let start = text.baseAddress else { return "" }
            guard shim_accept_value(answered, answered.count, start) > 0 else { return "" }
            return String(cString: start)
        }
    }
}
