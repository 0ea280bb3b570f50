import RoostWire
import Testing

@testable import RoostFraming

@Suite struct OutboxTests {
    private func frame(_ bytes: [UInt8]) -> Frame { bytes.withUnsafeBytes { Frame.make(framed: $0, headerCount: 0) } }

    private func drain(_ outbox: inout Outbox, room: Int) -> [UInt8] {
        var buffer = WriteBuffer(room: room)
        var all: [UInt8] = []
        while !outbox.isEmpty { all += Array(buffer.fill(from: &outbox)) }
        return all
    }

    @Test("bytes come out in order across frames, whatever the room for a write", arguments: 1...40)
    func fill(room: Int) {
        var outbox = Outbox()
        var expected: [UInt8] = []
        for (index, count) in [1, 2, 0, 7, 31, 1, 0, 16, 33, 5, 64, 3].enumerated() {
            let bytes = [UInt8](repeating: UInt8(index), count: count)
            expected += bytes
            outbox.push(frame(bytes))
        }
        #expect(outbox.count == 12)
        #expect(outbox.bytes == expected.count)
        #expect(drain(&outbox, room: room) == expected)
        let isEmpty = outbox.isEmpty
        #expect(isEmpty)
        #expect(outbox.bytes == 0)
    }

    @Test("an empty outbox returns nothing")
    func nothing() {
        var outbox = Outbox()
        #expect(outbox.pop() == nil)
        outbox.push(frame([1]))
        #expect(outbox.pop()?.count == 1)
        #expect(outbox.pop() == nil)
        outbox.removeAll()
        #expect(outbox.bytes == 0)
    }

    @Test("a frame counted once for several places lives until the last one is freed", arguments: [0, 1, 3, 5, 7])
    func pushHeld(before: Int) {
        var outbox = Outbox()
        var watch = Watch()
        for value in 0..<before { outbox.push(frame([UInt8(value)])) }
        for _ in 0..<before { _ = outbox.pop() }
        outbox.push(frame([100]))
        do {
            let shared = watch(frame([1, 2, 3]))
            let held = Unmanaged.passUnretained(shared)
            // The frame is in two outboxes. One of them is freed while it still holds the frame.
            outbox.push(held: held, bytes: 3)
            var other = Outbox()
            other.push(held: held, bytes: 3)
            held.hold(times: 2)
            #expect(other.count == 1)
        }
        #expect(outbox.count == 2)
        #expect(outbox.bytes == 4)
        #expect(watch.alive == 1)
        #expect(drain(&outbox, room: 3) == [100, 1, 2, 3])
        #expect(watch.alive == 0)
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
            #expect(drain(&outbox, room: 2).count == 3 * count)
            #expect(watch.alive == 0)
            for _ in 0..<count { outbox.push(watch(frame([1, 2, 3]))) }
            _ = outbox.pop()
            #expect(watch.alive == count - 1)
            outbox.removeAll()
            #expect(watch.alive == 0)
            for _ in 0..<count { outbox.push(watch(frame([1, 2, 3]))) }
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
        #expect(drain(&one, room: 8) == [1, 2, 1, 2])
        #expect(watch.alive == 1)
        #expect(drain(&other, room: 1) == [1, 2])
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
            // Even rounds leave frames behind, so that the ring wraps. Odd rounds empty it, so that it is trimmed.
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
