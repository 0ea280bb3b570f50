import RoostFraming
import RoostWire
import SeededRandom
import Testing

@Suite("FrameReader")
struct FrameReaderTests {
    /// A read frame, without the pointers.
    enum Read: Equatable {
        case text([UInt8])
        case binary([UInt8])
        case ping([UInt8])
        case pong
        case close([UInt8])
        case emptyFragment
        case fault(CloseCode)
    }

    static let bounds = FrameReader.Bounds(messageBytes: 70_000, fragments: 4, takesBinary: true)

    /// Reads bytes that arrive in pieces of these sizes, the last size for all the rest.
    private func read(
        _ bytes: [UInt8], in sizes: [Int] = [Int.max], within bounds: FrameReader.Bounds = FrameReaderTests.bounds
    ) -> [Read] {
        var reader = FrameReader()
        var found: [Read] = []
        var rest = bytes[...]
        var sizes = sizes[...]
        while !rest.isEmpty {
            var piece = Array(rest.prefix(max(sizes.first ?? 1, 1)))
            rest = rest.dropFirst(piece.count)
            if sizes.count > 1 { sizes = sizes.dropFirst() }
            let isOver = piece.withUnsafeMutableBytes { buffer -> Bool in
                var input = buffer
                while true {
                    switch reader.next(&input, within: bounds) {
                    case .wait: return false
                    case .message(let message, let isBinary):
                        found.append(isBinary ? .binary(Array(message)) : .text(Array(message)))
                    case .joinedMessage(let isBinary):
                        let message = reader.takeMessage()
                        found.append(isBinary ? .binary(message) : .text(message))
                    case .ping(let payload): found.append(.ping(payload))
                    case .pong: found.append(.pong)
                    case .emptyFragment: found.append(.emptyFragment)
                    case .close(let payload): found.append(.close(payload))
                    case .fault(let code):
                        found.append(.fault(code))
                        return true
                    }
                }
            }
            if isOver { return found }
        }
        return found
    }

    private func frame(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    ) -> [UInt8] {
        var bytes: [UInt8] = [opcode | (isFinal ? 0x80 : 0)]
        switch payload.count {
        case ..<126: bytes.append(0x80 | UInt8(payload.count))
        case ..<65_536: bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(0xFF)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 255)) }
        }
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    private func payload(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    @Test("each size and each way to cut it gives the same message")
    func sizes() {
        for size in [0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 125, 126, 127, 1_000] {
            let sent = frame(2, payload(size)) + frame(1, [0x61])
            for cut in 1...sent.count {
                #expect(read(sent, in: [cut, Int.max]) == [.binary(payload(size)), .text([0x61])])
            }
            #expect(read(sent, in: [1]) == [.binary(payload(size)), .text([0x61])])
        }
        for size in [65_535, 65_536, 70_000] {
            #expect(read(frame(1, payload(size))) == [.text(payload(size))])
            #expect(read(frame(1, payload(size)), in: [4_096]) == [.text(payload(size))])
        }
    }

    @Test("fragments are joined, with control frames between them")
    func fragments() {
        let sent =
            frame(1, [1, 2], isFinal: false) + frame(9, [9]) + frame(0, [], isFinal: false) + frame(10, [])
            + frame(0, [3]) + frame(8, [3, 0xE8])
        for size in 1...sent.count {
            let expected: [Read] = [.ping([9]), .emptyFragment, .pong, .text([1, 2, 3]), .close([3, 0xE8])]
            #expect(read(sent, in: [size]) == expected)
        }
    }

    @Test("a message may be as long as its bound, and no longer, however it is split")
    func longest() {
        let bounds = FrameReader.Bounds(messageBytes: 10, fragments: 4)
        #expect(read(frame(1, payload(10)), within: bounds) == [.text(payload(10))])
        #expect(read(frame(1, payload(11)), within: bounds) == [.fault(.tooBig)])
        // The header alone is enough.
        #expect(read(Array(frame(1, payload(11)).prefix(6)), within: bounds) == [.fault(.tooBig)])
        let split = frame(1, payload(6), isFinal: false)
        #expect(read(split + frame(0, payload(4)), within: bounds) == [.text(payload(6) + payload(4))])
        #expect(read(split + frame(0, payload(5)), within: bounds) == [.fault(.tooBig)])
        #expect(read([0x81, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 11), within: bounds) == [.fault(.tooBig)])
    }

    @Test("a message may have so many fragments, and no more")
    func mostFragments() {
        func split(_ count: Int) -> [UInt8] {
            frame(1, [1], isFinal: false) + (2..<count).flatMap { _ in frame(0, [1], isFinal: false) } + frame(0, [1])
        }
        #expect(read(split(4)) == [.text([1, 1, 1, 1])])
        #expect(read(split(5)) == [.fault(.tooBig)])
        // The next message counts anew.
        #expect(read(split(4) + split(4)) == [.text([1, 1, 1, 1]), .text([1, 1, 1, 1])])
    }

    @Test("a binary message is refused by its header where none is accepted")
    func binary() {
        let bounds = FrameReader.Bounds(messageBytes: 10, fragments: 4)
        #expect(read(frame(2, [1], isFinal: false), within: bounds) == [.fault(.unsupportedData)])
    }

    @Test("two bytes are enough to see what RFC 6455 forbids", arguments: 0...255 as ClosedRange<UInt8>)
    func firstBytes(_ first: UInt8) {
        let opcode = first & 15
        let isKnown = [1, 2, 8, 9, 10].contains(opcode)
        let isControl = opcode >= 8
        for second in 0...255 as ClosedRange<UInt8> {
            let isLong = second & 0x7F > 125
            let isGood =
                isKnown && first & 0x70 == 0 && second & 0x80 != 0 && !(isControl && (isLong || first & 0x80 == 0))
            // A continuation of nothing is seen once its header is complete.
            guard opcode != 0 else { continue }
            #expect(read([first, second]) == (isGood ? [] : [.fault(.protocolError)]))
        }
    }

    @Test("lengths take no more bytes than they need")
    func lengths() {
        let mask: [UInt8] = [0, 0, 0, 0]
        #expect(read([0x81, 0xFE, 0, 125] + mask) == [.fault(.protocolError)])
        #expect(read([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + mask) == [.fault(.protocolError)])
        #expect(read([0x81, 0xFF, 0x80, 0, 0, 0, 0, 1, 0, 0] + mask) == [.fault(.protocolError)])
    }

    @Test("an unfinished message takes hardly more memory than the message will have", arguments: [1, 100, 4_096])
    func memory(_ size: Int) {
        let sent = frame(1, payload(8_192))
        var reader = FrameReader()
        var rest = sent.dropLast()[...]
        while !rest.isEmpty {
            var piece = Array(rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeMutableBytes { buffer in
                var input = buffer
                guard case .wait = reader.next(&input, within: FrameReaderTests.bounds) else {
                    Issue.record("the message isn't complete")
                    return
                }
            }
            let arrived = sent.count - 1 - rest.count
            // The allocator rounds up, and half of a small room may be free.
            #expect(reader.heldBytes <= min(2 * arrived, 8_192) + 64)
        }
        #expect(reader.heldBytes >= 8_191)
    }

    @Test("messages don't mix")
    func order() {
        #expect(read(frame(0, [1])) == [.fault(.protocolError)])
        #expect(read(frame(1, [1], isFinal: false) + frame(1, [1])) == [.fault(.protocolError)])
        #expect(read(frame(1, [1], isFinal: false) + frame(2, [1])) == [.fault(.protocolError)])
        #expect(read(frame(1, [1]) + frame(0, [1])) == [.text([1]), .fault(.protocolError)])
    }

    @Test("random streams, cut anywhere, are read as they were written")
    func random() {
        for seed in 0..<50 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var sent: [UInt8] = []
            var expected: [Read] = []
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                let mask = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let whole = payload(Int.random(in: 0...300, using: &generator))
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    sent += frame(9, Array(whole.prefix(125)), mask: mask)
                    expected.append(.ping(Array(whole.prefix(125))))
                case 1:
                    let cut = Int.random(in: 0...whole.count, using: &generator)
                    sent += frame(1, Array(whole.prefix(cut)), isFinal: false, mask: mask)
                    sent += frame(10, [], mask: mask) + frame(0, Array(whole.dropFirst(cut)))
                    if cut == 0 { expected.append(.emptyFragment) }
                    expected += [.pong, .text(whole)]
                default:
                    sent += frame(2, whole, mask: mask)
                    expected.append(.binary(whole))
                }
            }
            let sizes = (0..<40).map { _ in Int.random(in: 1...200, using: &generator) }
            #expect(read(sent, in: sizes) == expected)
        }
    }

    @Test("a close frame is answered by its own code", arguments: [1_000, 1_014, 3_000, 4_999] as [UInt16])
    func close(_ code: UInt16) throws {
        let answer = ControlFrame.answer(toClose: [UInt8(code >> 8), UInt8(code & 255)] + Array("why".utf8))
        #expect(try answer.get() == code)
        #expect(ControlFrame.close(code) == [0x88, 2, UInt8(code >> 8), UInt8(code & 255)])
        #expect(try ControlFrame.answer(toClose: []).get() == nil)
        #expect(ControlFrame.close(nil) == [0x88, 0])
    }
}
