import SeededRandom

/// Writes a client's frames: header, mask, masked payload (RFC 6455, sections 5.2 and 5.3). Pure; the key is the
/// caller's.
enum FrameWriter {
    /// Bytes of the frame around a payload.
    static func overhead(_ payloadCount: Int) -> Int { payloadCount < 126 ? 6 : payloadCount < 65_536 ? 8 : 14 }

    /// Appends one unfragmented frame. `key` is stored as it lies in memory.
    static func append(
        _ payload: UnsafeRawBufferPointer,
        _ opcode: FrameHeader.Opcode,
        key: UInt32,
        to buffer: inout SocketBuffer
    ) {
        let header = overhead(payload.count)
        let frame = buffer.room(header + payload.count)
        frame[0] = 0x80 | opcode.rawValue
        if header == 6 {
            frame[1] = 0x80 | UInt8(payload.count)
        } else if header == 8 {
            frame[1] = 0x80 | 126
            frame.storeBytes(of: UInt16(payload.count).bigEndian, toByteOffset: 2, as: UInt16.self)
        } else {
            frame[1] = 0x80 | 127
            frame.storeBytes(of: UInt64(payload.count).bigEndian, toByteOffset: 2, as: UInt64.self)
        }
        frame.storeBytes(of: key, toByteOffset: header - 4, as: UInt32.self)
        mask(payload, key, into: UnsafeMutableRawBufferPointer(rebasing: frame[header...]))
        buffer.add(header + payload.count)
    }

    /// Eight bytes at a time, for what a harness spends on masks it can't spend on load. `room` is as long as `source`.
    static func mask(_ source: UnsafeRawBufferPointer, _ key: UInt32, into room: UnsafeMutableRawBufferPointer) {
        let twice = UInt64(key) << 32 | UInt64(key)
        let whole = source.count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
            let masked = source.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ twice
            room.storeBytes(of: masked, toByteOffset: place, as: UInt64.self)
        }
        withUnsafeBytes(of: twice) { key in
            for place in whole..<source.count { room[place] = source[place] ^ key[place - whole] }
        }
    }
}

/// The masks and handshake keys of a loop, from a seed. Each frame has another mask, so that the relay has to unmask
/// for real. They aren't unpredictable as RFC 6455, section 10.3 asks: that keeps a script in a browser from writing
/// what a proxy on the way takes for HTTP. Here only the harness chooses the bytes, and no proxy is on the way.
struct MaskGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func nextKey() -> UInt32 { UInt32(truncatingIfNeeded: generator.next() >> 32) }

    /// 16 bytes in base64, as `Sec-WebSocket-Key` wants (RFC 6455, section 4.1).
    mutating func handshakeKey() -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        for _ in 0..<21 { text.append(alphabet[Int(generator.next() >> 58)]) }
        // 128 bits are 21 digits of 6 bits and one of 2, which base64 fills up with zeros.
        text.append(alphabet[Int(generator.next() >> 62) << 4])
        return text + Array("==".utf8)
    }
}
