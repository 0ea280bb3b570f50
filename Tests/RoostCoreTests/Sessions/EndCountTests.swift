import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Counts of sessions that begin and end, and of users who come and leave, for operators.
@Suite struct EndCountTests {
    let relay = RelayHarness()

    private func ends(_ reason: EndReason) -> Int { relay.relay.counters.sessions.ends[Int(reason.rawValue)] }
    private func leaves(_ reason: EndReason) -> Int { relay.relay.counters.presence.leaves[Int(reason.rawValue)] }

    @Test func everyEndCountsOnceWithItsReason() {
        relay.connect("alice").drop()
        relay.connect("alice").drop(.closed)
        _ = relay.connect("alice").outcome("bye")
        let old = relay.connect("alice")
        let new = relay.connect("alice")
        #expect(old.closeCode == .takenOver)
        relay.advance(40_000)
        #expect(new.closeCode == .pingTimeout)
        relay.open().drop()
        let counts = EndReason.allCases.map { ends($0) }
        #expect(ends(.cut) == 1 && ends(.closed) == 1 && ends(.bye) == 1 && ends(.takeover) == 1 && ends(.timeout) == 1)
        #expect(counts.reduce(0, +) == 5)
        #expect(relay.relay.counters.sessions.strangersEnds[Int(EndReason.cut.rawValue)] == 1)
    }

    @Test func helloSaysWhereADeviceGoesOn() {
        let sessions = { relay.relay.counters.sessions }
        let alice = relay.connect("alice", "laptop")
        #expect(sessions().new == 1)
        let group = alice.makeGroup([])
        let place = alice.post("k", to: group)?.text("position") ?? ""
        alice.tell("ack", ["position": "\(place)"])
        alice.drop()
        relay.connect("alice", "laptop").drop()
        #expect(sessions().known == 1)
        relay.connect("alice", "laptop", resume: place).drop()
        #expect(sessions().resumed == 1)
        relay.connect("alice", "laptop", resume: "memory-0").drop()
        #expect(sessions().rewound == 1 && sessions().new == 1)
    }

    @Test func endsAreCountedByReason() {
        let counters = relay.relay.counters
        _ = relay.connect("alice").outcome("bye")
        relay.advance(200)
        let bob = relay.connect("bob")
        relay.advance(200)
        bob.drop()
        relay.advance(10_000)
        #expect(leaves(.bye) == 0 && leaves(.cut) == 0)
        // Back within the grace: no watcher saw it.
        let again = relay.connect("bob")
        #expect(counters.presence.returned == 1)
        again.drop()
        relay.advance(20_000)
        #expect(leaves(.cut) == 1)
        let carol = relay.connect("carol")
        relay.advance(200)
        _ = carol.outcome("status", ["state": "invisible"])
        relay.advance(200)
        _ = carol.outcome("status", ["state": "auto"])
        relay.advance(200)
        _ = carol.outcome("presence", ["state": "background"])
        relay.advance(200)
        #expect(counters.presence.becameInvisible == 1 && counters.presence.leftForBackground == 1)
        // alice came and went within one tick: watchers get a new time, and no state.
        #expect(counters.presence.joins == 3)
        #expect(counters.presence.changes == 7)
        #expect(counters.presence.delay.count == 7)
        #expect(counters.presence.delay.sum >= 7 * 50)
    }

    @Test func devicesCountByWhatTheySay() {
        let told = { [relay.relay.counters.presence].map { [$0.active, $0.idle, $0.background] }[0] }
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        #expect(told() == [2, 0, 0])
        _ = alice.outcome("presence", ["state": "idle"])
        _ = bob.outcome("presence", ["state": "background"])
        #expect(told() == [0, 1, 1])
        _ = relay.connect("alice")
        #expect(told() == [1, 0, 1])
        bob.drop()
        relay.open().drop()
        #expect(told() == [1, 0, 0])
    }
}
