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

    private func connect(_ ping: Int64, _ pong: Int64) -> HarnessClient {
        let client = relay.open()
        client.send(
            #"{"type":"hello","id":0,"token":"alice","device":"phone","pingSeconds":\#(ping),"pongSeconds":\#(pong)}"#)
        return client
    }

    private func told(_ client: HarnessClient) -> [Int64?] {
        let limits = client.frames("welcome").first?["limits"]
        return [limits?.number("pingSeconds"), limits?.number("pongSeconds")]
    }

    @Test func aClientHasTheHeartbeatThatItAsksFor() {
        let (fast, slow) = (connect(7, 3), relay.connect("alice", "other"))
        #expect(told(fast) == [7, 3] && told(slow) == [25, 10])
        relay.advance(6_900)
        #expect(fast.pings == 0)
        relay.advance(400)
        #expect(fast.pings == 1 && slow.pings == 0)
        relay.advance(2_600)
        #expect(fast.isOpen)
        relay.advance(500)
        #expect(fast.closeCode == .pingTimeout && slow.isOpen)
    }

    @Test(
        arguments: [
            (5, 2, 5, 2), (4, 1, 5, 2), (300, 60, 300, 60), (301, 61, 300, 60), (.max, .max, 300, 60),
        ] as [(Int64, Int64, Int64, Int64)])
    func aHeartbeatIsTakenIntoTheLimits(ping: Int64, pong: Int64, given: Int64, patience: Int64) {
        #expect(told(connect(ping, pong)) == [given, patience])
    }

    @Test func theOperatorsOwnHeartbeatIsAllowed() {
        let relay = RelayHarness(
            limits: .with {
                $0.pingMilliseconds = 1_000
                $0.pongMilliseconds = 90_000
            })
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"alice","device":"phone","pingSeconds":1,"pongSeconds":100}"#)
        #expect(told(client) == [1, 90])
    }

    @Test func theOperatorSaysWhatClientsMayAskFor() {
        let relay = RelayHarness(
            limits: .with {
                $0.pingMinMilliseconds = 20_000
                $0.pingMaxMilliseconds = 40_000
                $0.pongMinMilliseconds = 5_000
                $0.pongMaxMilliseconds = 15_000
            })
        for (number, (asked, given)) in [(1, [20, 5]), (30, [30, 15]), (100, [40, 15])].enumerated() {
            let client = relay.open()
            client.send(
                #"{"type":"hello","id":0,"token":"alice","device":"d\#(number)","pingSeconds":\#(asked),"#
                    + #""pongSeconds":\#(asked)}"#)
            #expect(told(client) == given.map(Int64.init))
        }
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
