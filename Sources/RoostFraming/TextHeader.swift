/// The header of a complete text message to a client: unmasked, not fragmented (RFC 6455, section 5.2). Stateless.
enum TextHeader {
    /// The size of the header for a payload of this size.
    static func count(payload: Int) -> Int { payload < 126 ? 2 : payload < 65_536 ? 4 : 10 }

    /// Writes the header where there is room for `count(payload:)` bytes.
    static func write(payload: Int, to start: UnsafeMutableRawPointer) {
        start.storeBytes(of: 0x81, as: UInt8.self)
        switch count(payload: payload) {
        case 2: start.storeBytes(of: UInt8(truncatingIfNeeded: payload), toByteOffset: 1, as: UInt8.self)
        case 4:
            start.storeBytes(of: 126, toByteOffset: 1, as: UInt8.self)
            start.storeBytes(of: UInt16(truncatingIfNeeded: payload).bigEndian, toByteOffset: 2, as: UInt16.self)
        default:
            start.storeBytes(of: 127, toByteOffset: 1, as: UInt8.self)
            start.storeBytes(of: UInt64(payload).bigEndian, toByteOffset: 2, as: UInt64.self)
        }
    }
}
