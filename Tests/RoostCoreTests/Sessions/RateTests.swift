import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// The number of commands that one connection may send.
@Suite struct RateTests {
    let relay = RelayHarness(
        limits: .with {
            $0.commandsPerSecond = 10
            $0.malformedMax = 3
        })

    /// Ten commands a second, and twice as many in a burst.
    @Test func aBurstOfTwiceTheRatePassesAndNoMore() {
        let alice = relay.connect("alice")
        // `hello` was the first.
        for _ in 0..<19 { #expect(alice.outcome("ping") == "pong") }
        let refused = alice.request("ping")
        #expect(refused?.text("code") == "rate_limited")
        #expect(refused?.flag("retry") == true)
        #expect(refused?.number("retryAfter") == 100)
        relay.advance(100)
        #expect(alice.outcome("ping") == "pong")
        #expect(alice.outcome("ping") == "rate_limited")
        #expect(alice.isOpen)
    }

    /// Commands that cause more work cost more: a list of five names costs twice as much as one name.
    @Test func longListsCostMore() {
        let alice = relay.connect("alice")
        let five = (0..<5).map { "u\($0)" }
        // `hello` took 1 of 20, five names 2, and four names 1.
        _ = alice.request("unwatch", ["users": .list(five)])
        _ = alice.request("unwatch", ["users": .list(Array(five.dropLast()))])
        for _ in 0..<16 { #expect(alice.outcome("ping") == "pong") }
        #expect(alice.outcome("ping") == "rate_limited")
    }

    @Test func silenceSavesUpNoMoreThanABurst() {
        let alice = relay.connect("alice")
        relay.advance(20_000)
        let outcomes = (0..<21).map { _ in alice.outcome("ping") }
        #expect(outcomes.filter { $0 == "pong" }.count == 20)
    }

    @Test func aClientAboveTheRateStillGetsTheRate() {
        let alice = relay.connect("alice")
        while alice.outcome("ping") == "pong" {}
        var passed = 0
        for _ in 0..<100 {
            relay.advance(30)
            if alice.outcome("ping") == "pong" { passed += 1 }
        }
        // The budget of three seconds.
        #expect(passed == 30)
    }

    @Test func eachConnectionHasItsOwnRate() {
        let alice = relay.connect("alice")
        while alice.outcome("ping") == "pong" {}
        #expect(relay.connect("bob").outcome("ping") == "pong")
    }

    @Test(arguments: ["{", "[]", #"{"type":"nothing","id":1}"#, #"{"type":"send","id":1}"#])
    func tooManyMalformedCommandsInARowEndTheConnection(text: String) {
        let alice = relay.connect("alice")
        alice.send(text)
        alice.send(text)
        #expect(alice.isOpen)
        alice.tell("ack", ["position": "memory-0"])
        alice.send(text)
        alice.send(text)
        #expect(alice.isOpen)
        alice.send(text)
        #expect(alice.closeCode == .malformed)
        #expect(alice.codes.count == 5)
    }

    @Test func aRefusalIsNotAMalformedCommand() {
        let alice = relay.connect("alice")
        for _ in 0..<5 { #expect(alice.outcome("conversation.get", ["conversation": "none"]) == "not_found") }
        #expect(alice.isOpen)
    }
}
