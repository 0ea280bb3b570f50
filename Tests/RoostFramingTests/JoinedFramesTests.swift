import RoostWire
import Testing

@testable import RoostFraming

/// Joined messages have the same bytes as each has alone.
@Suite struct JoinedFramesTests {
    private let builder = FrameBuilder()

    private func write(_ count: Int) {
        builder.begin("x")
        builder.member("body", String(repeating: "b", count: count))
    }

    private func bytes(_ frame: Frame) -> [UInt8] { withExtendedLifetime(frame) { [UInt8](frame.bytes) } }

    @Test func aRunIsTheFramesOneBehindAnother() {
        // The payload is 21 bytes longer. These lengths are around those at which the header grows, and above the first
        // allocation.
        let counts = [0, 104, 105, 5_000, 65_514, 65_515, 1_200_000, 3]
        var run = JoinedFrames()
        var expected: [UInt8] = []
        for count in counts {
            write(count)
            run.append(builder)
            expected += bytes(builder.finish())
            #expect(run.count == expected.count)
        }
        #expect(bytes(run.take()) == expected)
    }

    @Test func takenFramesAreGone() {
        var run = JoinedFrames()
        write(1)
        run.append(builder)
        _ = run.take()
        #expect(run.count == 0)
        write(2)
        run.append(builder)
        #expect(bytes(run.take()) == bytes(builder.finish()))
    }
}
