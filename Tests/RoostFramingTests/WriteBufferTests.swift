import RoostWire
import Testing

@testable import RoostFraming

@Suite struct WriteBufferTests {
    private func frame(_ byte: UInt8, _ count: Int = 3) -> Frame {
        [UInt8](repeating: byte, count: count).withUnsafeBytes { Frame.make(framed: $0, headerCount: 0) }
    }

    private func outbox(_ frames: [Frame]) -> Outbox {
        var outbox = Outbox()
        for frame in frames { outbox.push(frame) }
        return outbox
    }

    @Test("many outboxes with the same frames get the same bytes, and each is emptied")
    func shared() {
        let frames = (1...5).map { frame($0) }
        let expected = (1...5).flatMap { [UInt8](repeating: $0, count: 3) }
        var buffer = WriteBuffer(room: 100)
        for _ in 0..<10 {
            var waiting = outbox(frames)
            #expect(Array(buffer.fill(from: &waiting)) == expected)
            #expect(waiting.count == 0)
            #expect(waiting.bytes == 0)
        }
    }

    @Test("frames that differ in one place, in order or in number are copied anew")
    func different() {
        let (a, b, c) = (frame(1), frame(2), frame(3))
        var buffer = WriteBuffer(room: 100)
        for frames in [[a, b, c], [a, c, b], [a, b], [b, c], [a], [a, b, c], [c, b, a], [c, b, a, a], [c, b]] {
            var waiting = outbox(frames)
            #expect(Array(buffer.fill(from: &waiting)) == frames.flatMap { Array($0.bytes) })
            #expect(waiting.count == 0)
        }
    }

    @Test("what doesn't fit waits for the next write, also when the first is written from one copy")
    func room() {
        let frames = (1...5).map { frame($0) }
        var buffer = WriteBuffer(room: 7)
        for _ in 0..<3 {
            var waiting = outbox(frames)
            var writes: [[UInt8]] = []
            while waiting.count > 0 { writes.append(Array(buffer.fill(from: &waiting))) }
            #expect(writes == [[1, 1, 1, 2, 2, 2], [3, 3, 3, 4, 4, 4], [5, 5, 5]])
        }
    }

    @Test("of two outboxes with the same frames, the longer one isn't cut short")
    func longer() {
        let frames = (1...4).map { frame($0) }
        var buffer = WriteBuffer(room: 100)
        var short = outbox(Array(frames[..<2]))
        var long = outbox(frames)
        #expect(buffer.fill(from: &short).count == 6)
        #expect(buffer.fill(from: &long).count == 12)
        #expect(long.count == 0)
    }

    @Test("a frame longer than the room goes alone")
    func long() {
        var buffer = WriteBuffer(room: 4)
        var waiting = outbox([frame(1), frame(2, 50), frame(3)])
        #expect(Array(buffer.fill(from: &waiting)) == [1, 1, 1])
        #expect(Array(buffer.fill(from: &waiting)) == [UInt8](repeating: 2, count: 50))
        #expect(Array(buffer.fill(from: &waiting)) == [3, 3, 3])
        #expect(waiting.count == 0)
    }

    @Test("a frame lives while the buffer remembers it, and no longer")
    func release() {
        weak var watched: Frame?
        var buffer = WriteBuffer(room: 100)
        do {
            let frame = frame(1)
            watched = frame
            var waiting = outbox([frame, frame])
            _ = buffer.fill(from: &waiting)
        }
        #expect(watched != nil)
        buffer.forget()
        #expect(watched == nil)
        do {
            let frame = frame(2)
            watched = frame
            var waiting = outbox([frame])
            _ = buffer.fill(from: &waiting)
        }
        var other = outbox([frame(3)])
        _ = buffer.fill(from: &other)
        #expect(watched == nil)
    }
}
