import RoostWire
import Testing

@testable import RoostCore

/// The ends of connections that are stored, and the time of that.
@Suite struct DeviceEndsTests {
    private let ends = DeviceEnds(
        .init(
            .with {
                $0.aliveMilliseconds = 100
                $0.stepsPerTurn = 8
            }))
    private let cast = Cast("alice")

    private func devices(_ count: Int) -> [Device] { (0..<count).map { cast.device(of: 0, named: "d\($0)") } }

    private func stored(at now: Int64) -> [String] { text(ends.takeDue(at: now)) }

    private func text(_ mutations: [Mutation]) -> [String] {
        mutations.map { mutation in
            guard case .end(let device, let end) = mutation else { return "?" }
            return "\(device.value) \(end.map { "\($0.reason) \($0.time.milliseconds)" } ?? "-")"
        }
    }

    @Test func anEndIsStoredAfterAWhileAndOnce() {
        let device = devices(1)[0]
        ends.noteEnd(of: device, .cut, at: Moment(10))
        #expect(ends.nextDeadline == 110)
        #expect(stored(at: 109).isEmpty)
        #expect(stored(at: 110) == ["\(device.number.value) cut \(Moment(10).wall.milliseconds)"])
        #expect(ends.nextDeadline == .max && stored(at: 1_000).isEmpty)
    }

    /// Thousands may be cut and come back.
    @Test func aQuickReturnCostsNothing() {
        let device = devices(1)[0]
        _ = cast.session(on: device, numbered: 1)
        ends.noteBegin(of: device, at: Moment(0))
        #expect(stored(at: 100).isEmpty)
        device.disconnect(at: 200)
        ends.noteEnd(of: device, .cut, at: Moment(200))
        _ = cast.session(on: device, numbered: 2)
        ends.noteBegin(of: device, at: Moment(210))
        #expect(stored(at: 300).isEmpty)
        #expect(device.ends.last?.reason == .cut)
    }

    @Test func aDeviceThatIsConnectedHasNoStoredEnd() {
        let device = devices(1)[0]
        ends.noteEnd(of: device, .bye, at: Moment(0))
        #expect(stored(at: 100).count == 1)
        _ = cast.session(on: device, numbered: 1)
        ends.noteBegin(of: device, at: Moment(200))
        #expect(stored(at: 300) == ["\(device.number.value) -"])
    }

    /// A turn stores a part of many, and the next turn goes on.
    @Test func manyAreStoredInTurns() {
        let devices = devices(5)
        for device in devices { ends.noteEnd(of: device, .cut, at: Moment(0)) }
        #expect(stored(at: 100).count == 2)
        #expect(ends.nextDeadline == 100)
        #expect(stored(at: 100).count == 2)
        #expect(stored(at: 101).count == 1)
        ends.noteEnd(of: devices[0], .drain, at: Moment(200))
        #expect(text(ends.takeAll()).count == 1)
    }
}
