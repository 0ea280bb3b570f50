import RoostCore
import RoostWire
import Testing

/// Times are milliseconds since 1970, and 0 stands for never. No clock makes another one of them.
@Suite struct MomentTests {
    @Test(arguments: [Int64.min, -9_999_685, -1, 0])
    func aClockBefore1970CountsAs1970(wall: Int64) {
        let moment = Moment(monotonic: 5, wall: Timestamp(milliseconds: wall))
        #expect(moment.wall == Timestamp(milliseconds: 1))
        #expect(moment.wall > .never)
        #expect(moment.monotonic == 5)
    }

    @Test(arguments: [1, 1_700_000_000_000, Int64.max])
    func everyOtherTimeIsTaken(wall: Int64) {
        #expect(Moment(monotonic: 5, wall: Timestamp(milliseconds: wall)).wall.milliseconds == wall)
    }
}
