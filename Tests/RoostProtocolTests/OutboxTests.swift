import Testing

@testable import RoostProtocol

@Suite struct OutboxTests {
    private func frame(_ bytes: [UInt8]) -> Frame { bytes.withUnsafeBytes { Frame(framed: $0, headerCount: 0) } }

    private func drain(_ outbox: inout Outbox, by size: Int) -> [UInt8] {
        var all: [UInt8] = []
        var scratch = [UInt8](repeating: 0xEE, count: size + 1)
        for _ in 0..<10_000 {
            let before = outbox.bytes
            let count = scratch.withUnsafeMutableBytes {
                outbox.fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<size]))
            }
            #expect(scratch[size] == 0xEE, "wrote behind the scratch")
            #expect(outbox.bytes == before - count)
            if count == 0 { break }
            all += scratch[..<count]
        }
        return all
    }

    @Test("bytes come out in order over frame boundaries, whatever the size of the scratch", arguments: 1...40)
    func fill(size: Int) {
        var outbox = Outbox()
        var expected: [UInt8] = []
        for (index, count) in [1, 2, 0, 7, 31, 1, 0, 16, 33, 5, 64, 3].enumerated() {
            let bytes = [UInt8](repeating: UInt8(index), count: count)
            expected += bytes
            outbox.push(frame(bytes))
        }
        #expect(outbox.count == 12)
        #expect(outbox.bytes == expected.count)
        #expect(drain(&outbox, by: size) == expected)
        let isEmpty = outbox.isEmpty
        #expect(isEmpty)
        #expect(outbox.bytes == 0)
    }

    @Test("frames can be added while one is partly written")
    func partial() {
        var outbox = Outbox()
        var expected: [UInt8] = []
        var written: [UInt8] = []
        var scratch = [UInt8](repeating: 0, count: 5)
        for round in 0..<300 {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: round % 11)
            expected += bytes
            outbox.push(frame(bytes))
            let count = scratch.withUnsafeMutableBytes { outbox.fill($0) }
            written += scratch[..<count]
            #expect(outbox.bytes == expected.count - written.count)
        }
        #expect(written + drain(&outbox, by: 100) == expected)
    }

    @Test("an empty scratch or outbox gives nothing")
    func nothing() {
        var outbox = Outbox()
        var scratch = [UInt8](repeating: 0, count: 4)
        #expect(scratch.withUnsafeMutableBytes { outbox.fill($0) } == 0)
        outbox.push(frame([1]))
        #expect(outbox.fill(UnsafeMutableRawBufferPointer(start: nil, count: 0)) == 0)
        #expect(outbox.bytes == 1)
        #expect(outbox.pop()?.count == 1)
        #expect(outbox.pop() == nil)
    }

    @Test("popping what is partly written counts only the rest")
    func pop() {
        var outbox = Outbox()
        outbox.push(frame([1, 2, 3]))
        outbox.push(frame([4]))
        var scratch = [UInt8](repeating: 0, count: 2)
        #expect(scratch.withUnsafeMutableBytes { outbox.fill($0) } == 2)
        #expect(outbox.bytes == 2)
        #expect(outbox.pop()?.count == 3)
        #expect(outbox.bytes == 1)
        #expect(scratch.withUnsafeMutableBytes { outbox.fill($0) } == 1)
        #expect(scratch[0] == 4)
        #expect(outbox.count == 0)
    }

    /// Counts frames that are alive, through weak references.
    private struct Watch {
        private final class Weak {
            weak var frame: Frame?
            init(_ frame: Frame) { self.frame = frame }
        }
        private var frames: [Weak] = []
        var alive: Int { frames.count { $0.frame != nil } }
        mutating func callAsFunction(_ frame: Frame) -> Frame {
            frames.append(Weak(frame))
            return frame
        }
    }

    @Test(
        "every frame is let go once: written, popped, removed, or when the outbox goes",
        arguments: [1, 3, 4, 9, 100]
    )
    func release(count: Int) {
        var watch = Watch()
        do {
            var outbox = Outbox()
            for _ in 0..<count { outbox.push(watch(frame([1, 2, 3]))) }
            #expect(watch.alive == count)
            #expect(drain(&outbox, by: 2).count == 3 * count)
            #expect(watch.alive == 0)
            for _ in 0..<count { outbox.push(watch(frame([1, 2, 3]))) }
            _ = outbox.pop()
            #expect(watch.alive == count - 1)
            outbox.removeAll()
            #expect(watch.alive == 0)
            for _ in 0..<count { outbox.push(watch(frame([1, 2, 3]))) }
            var scratch: UInt8 = 0
            _ = withUnsafeMutableBytes(of: &scratch) { outbox.fill($0) }
            #expect(watch.alive == count)
        }
        #expect(watch.alive == 0)
    }

    @Test("one frame in many outboxes lives until the last has written it")
    func shared() {
        var watch = Watch()
        var one = Outbox()
        var other = Outbox()
        do {
            let shared = watch(frame([1, 2]))
            one.push(shared)
            other.push(shared)
            one.push(shared)
        }
        #expect(drain(&one, by: 8) == [1, 2, 1, 2])
        #expect(watch.alive == 1)
        #expect(drain(&other, by: 1) == [1, 2])
        #expect(watch.alive == 0)
    }

    @Test("the ring keeps its order when it wraps, grows and is trimmed", arguments: [3, 4, 5, 8, 9, 17, 1_000])
    func ring(waiting: Int) {
        var outbox = Outbox()
        var pushed = 0
        var popped = 0
        func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
        for round in 0..<6 {
            while pushed - popped < waiting + round {
                outbox.push(frame(number(pushed)))
                pushed += 1
            }
            #expect(outbox.count == waiting + round)
            #expect(outbox.bytes == (waiting + round) * 8)
            // Leaves some behind on even rounds, so that the ring wraps; empties it on odd ones, so that it is trimmed.
            while pushed - popped > (round % 2 == 0 ? 2 : 0) {
                let oldest = outbox.pop()
                #expect(oldest.map { frame in withExtendedLifetime(frame) { Array(frame.bytes) } } == number(popped))
                popped += 1
            }
        }
        #expect(outbox.count == 0)
        #expect(outbox.bytes == 0)
    }
}
