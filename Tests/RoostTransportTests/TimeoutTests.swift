import Glibc
import Testing

@testable import RoostTransport

/// The wheel of times at which connections end, without sockets.
@Suite struct TimeoutTests {
    private let core: ServerCore
    private var timeouts = Timeouts(at: 5_000)

    init() throws { core = try ServerCore(TransportSettings()) }

    private func connection(_ id: UInt64) -> Connection {
        Connection(id: id, sender: ClientAddress(ipv4: 0x7F00_0001), descriptor: -1, core: core)
    }

    @Test mutating func aConnectionEndsInTheSecondAfterItsTime() {
        let one = connection(1)
        timeouts.set(one, after: 10, at: 5_900)
        #expect(timeouts.expire(at: 15_900).isEmpty)
        #expect(timeouts.expire(at: 16_000).map(\.id) == [1])
        #expect(timeouts.expire(at: 90_000).isEmpty)
    }

    @Test mutating func theLastTimeCounts() {
        let (later, earlier, never) = (connection(1), connection(2), connection(3))
        timeouts.set(later, after: 4, at: 5_000)
        timeouts.set(later, after: 10, at: 6_000)
        timeouts.set(earlier, after: 10, at: 5_000)
        timeouts.set(earlier, after: 4, at: 6_000)
        timeouts.set(never, after: 4, at: 5_000)
        timeouts.set(never, after: 0, at: 6_000)
        #expect(timeouts.expire(at: 11_000).map(\.id) == [2])
        #expect(timeouts.expire(at: 16_000).isEmpty)
        #expect(timeouts.expire(at: 17_000).map(\.id) == [1])
        #expect(timeouts.expire(at: 90_000).isEmpty)
    }

    @Test mutating func aTimeLongerThanTheWheelIsKept() {
        let one = connection(1)
        timeouts.set(one, after: 200, at: 5_000)
        #expect(timeouts.expire(at: 205_000).isEmpty)
        #expect(timeouts.expire(at: 206_000).map(\.id) == [1])
    }

    @Test mutating func manySettingsOfOneConnectionListItOnce() {
        let one = connection(1)
        for second in 0..<50 as Range<Int64> { timeouts.set(one, after: 5, at: 5_000 + second * 10) }
        #expect(timeouts.expire(at: 30_000).map(\.id) == [1])
    }
}
