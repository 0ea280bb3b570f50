import SeededRandom
import Testing

@testable import RoostLoad

@Suite struct FrameWriterTests {
    static func frame(_ payload: [UInt8], key: UInt32 = 0x7856_3412) -> [UInt8] {
        var buffer = SocketBuffer()
        payload.withUnsafeBytes { FrameWriter.append($0, .text, key: key, to: &buffer) }
        return Array(buffer.bytes)
    }

    @Test func masksAsInTheStandardsExample() {
        // RFC 6455, section 5.7: a masked "Hello".
        let expected: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(Self.frame(Array("Hello".utf8), key: UInt32(littleEndian: 0x3D21_FA37)) == expected)
    }

    @Test(arguments: Array(0...40) + [125, 126, 127, 65_535, 65_536])
    func masksEveryLength(_ length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let frame = Self.frame(payload)
        let overhead = FrameWriter.overhead(length)
        #expect(frame.count == overhead + length)
        let key = Array(frame[(overhead - 4)..<overhead])
        #expect(frame[overhead...].enumerated().map { $1 ^ key[$0 & 3] } == payload)
        var unmasked = [UInt8(0x81), frame[1] & 0x7F] + frame[2..<(overhead - 4)]
        unmasked += payload
        #expect(unmasked == serverFrame(1, payload), "the header says the length as a server's does")
    }

    @Test func appendsToExistingBytes() {
        var buffer = SocketBuffer()
        for text in ["a", "bc"] {
            Array(text.utf8).withUnsafeBytes { FrameWriter.append($0, .text, key: 0, to: &buffer) }
        }
        #expect(Array(buffer.bytes) == [0x81, 0x81, 0, 0, 0, 0, 97, 0x81, 0x82, 0, 0, 0, 0, 98, 99])
    }

    @Test func usesANewMaskForEachFrame() {
        var masks = MaskGenerator(seed: 1)
        #expect(Set((0..<1_000).map { _ in masks.nextKey() }).count == 1_000)
        let keys = (0..<100).map { _ in String(decoding: masks.handshakeKey(), as: UTF8.self) }
        #expect(Set(keys).count == 100)
        for key in keys { #expect(key.wholeMatch(of: /[A-Za-z0-9+\/]{21}[AQgw]==/) != nil, "base64 of 16 bytes") }
    }
}

@Suite struct SocketBufferTests {
    @Test func keepsBytesInOrder() {
        var buffer = SocketBuffer()
        var expected: [UInt8] = []
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let count = Int(random.next() % 700)
            if random.next() % 2 == 0 {
                let more = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                more.withUnsafeBytes { buffer.append($0) }
                expected += more
            } else {
                buffer.removeFirst(count)
                expected.removeFirst(min(count, expected.count))
            }
            #expect(buffer.count == expected.count)
            guard buffer.bytes.elementsEqual(expected) else {
                Issue.record("differs at \(expected.count) bytes")
                return
            }
        }
    }

    @Test func freesItsMemoryWhenEmpty() {
        var buffer = SocketBuffer()
        [1, 2, 3].withUnsafeBytes { buffer.append($0) }
        buffer.removeFirst(buffer.count)
        #expect(buffer.bytes.baseAddress == nil)
    }
}
