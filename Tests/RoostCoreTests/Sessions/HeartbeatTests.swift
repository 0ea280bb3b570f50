import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Silent connections: pings, and the deadlines after which a connection is closed.
@Suite struct HeartbeatTests {
    let relay = RelayHarness()

    @Test func aConnectionWithoutHelloIsClosed() {
        let client = relay.open()
        relay.advance(9_999)
        #expect(client.isOpen)
        relay.advance(300)
        #expect(client.closeCode == .helloTimeout)
    }

    @Test func aTokenThatIsNeverCheckedDoesNotHoldTheConnection() {
        let client = relay.open()
        client.start("hello", ["token": "alice", "device": "phone"])
        relay.relay.tick(at: Moment(monotonic: relay.now.monotonic + 10_300, wall: relay.now.wall))
        #expect(client.session.closing == .helloTimeout)
        // The answer comes too late.
        relay.settle()
        #expect(client.frames("welcome").isEmpty)
    }

    @Test func aSilentConnectionIsPinged() {
        let alice = relay.connect("alice")
        relay.advance(24_900)
        #expect(alice.pings == 0)
        relay.advance(400)
        #expect(alice.pings == 1)
    }

    @Test func anyArrivalPostponesThePing() {
        let alice = relay.connect("alice")
        relay.advance(20_000)
        alice.tell("ack", ["position": "memory-0"])
        relay.advance(20_000)
        #expect(alice.pings == 0)
        relay.advance(5_400)
        #expect(alice.pings == 1)
    }

    @Test func aConnectionThatAnswersNoPingIsClosed() {
        let alice = relay.connect("alice")
        relay.advance(34_900)
        #expect(alice.isOpen)
        relay.advance(500)
        #expect(alice.closeCode == .pingTimeout)
    }

    @Test func aPongOrACommandKeepsTheConnection() {
        let one = relay.connect("alice", "one")
        let other = relay.connect("alice", "other")
        for round in 1...3 {
            relay.advance(25_400)
            #expect(one.pings == round)
            one.pong()
            other.send("not even a command")
        }
        #expect(one.isOpen && other.isOpen)
    }

    @Test func pongTellsTheTime() {
        let alice = relay.connect("alice")
        #expect(alice.request("ping")?.number("time") == relay.now.wall.milliseconds)
    }
}
