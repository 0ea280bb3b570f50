import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// The cost of `hello` and catching up, and the fate of a user who can't pay.
@Suite struct ArrivalTests {
    /// Bob is in so many groups, in each of which Alice has written a message. He has seen none of it.
    private func groups(
        _ count: Int, _ change: (inout Limits) -> Void
    ) -> (relay: RelayHarness, alice: HarnessClient, start: String) {
        let relay = RelayHarness(limits: .with { change(&$0) })
        let bob = relay.connect("bob")
        let start = bob.welcome("position")?.string ?? ""
        bob.drop(.bye)
        let alice = relay.connect("alice")
        for number in 0..<count {
            let group = alice.makeGroup(["bob"])
            _ = alice.post("m\(number)", to: group)
        }
        relay.advance(10_000)
        return (relay, alice, start)
    }

    /// Connects and leaves at once until `hello` is refused.
    private func welcomes(_ relay: RelayHarness, resume: String?, atMost most: Int = 1_000) -> Int {
        for number in 0..<most {
            let bob = relay.connect("bob", resume: resume)
            guard bob.frames("welcome").isEmpty else {
                bob.drop()
                continue
            }
            #expect(bob.frames("error").last?.text("code") == "rate_limited")
            return number
        }
        return most
    }

    /// 20 may be spent at once, and a `hello` costs 4.
    @Test func aHelloAboveTheAllowanceIsRefusedAndMayBeSaidAgainWhenTold() {
        let (relay, alice, _) = groups(0) {
            $0.arrivalsPerSecond = 10
            $0.arrivalsMax = 20
        }
        #expect(welcomes(relay, resume: nil) == 5)
        let bob = relay.connect("bob")
        let error = bob.frames("error").last
        #expect(error?.text("code") == "rate_limited" && error?.flag("retry") == true)
        let wait = error?.number("retryAfter") ?? 0
        #expect(wait == 400 && bob.isOpen)
        // The other allowances are others'.
        #expect(alice.outcome("ping") == "pong")
        #expect(relay.connect("carol").outcome("ping") == "pong")
        relay.advance(wait - 1)
        bob.send(#"{"type":"hello","id":1,"token":"bob","device":"phone"}"#)
        #expect(bob.frames("welcome").isEmpty)
        relay.advance(1)
        bob.send(#"{"type":"hello","id":2,"token":"bob","device":"phone"}"#)
        #expect(bob.frames("welcome").count == 1)
    }

    /// A page that looks into 100 conversations costs 10, and the search for them 1. Without it a `hello` costs 5.
    @Test func whatWasMissedIsChargedWhenItIsBuilt() {
        func change(_ limits: inout Limits) {
            limits.arrivalsPerSecond = 1
            limits.arrivalsMax = 200
            limits.windowBytes = 0
        }
        let (idle, _, _) = groups(100, change)
        let reader = idle.connect("bob")
        reader.ackAll()
        reader.drop()
        idle.advance(100_000)
        #expect(welcomes(idle, resume: nil) == 40)
        let (relay, _, start) = groups(100, change)
        // Nothing is read by a client that leaves after `welcome`, but the first page was asked for.
        relay.holdsReads = true
        #expect((10...14).contains(welcomes(relay, resume: start)))
    }

    @Test func aSessionInDebtWaitsForItsNextPageAndGetsAll() {
        let (relay, _, start) = groups(40) {
            $0.arrivalsPerSecond = 10
            $0.arrivalsMax = 10
            $0.spansPerArrival = 1
            $0.pageSpans = 8
            $0.pageMessages = 8
            $0.windowBytes = 0
        }
        let bob = relay.connect("bob", resume: start)
        #expect(bob.frames("welcome").count == 1)
        let before = bob.frames("message").count
        #expect(before < 40 && bob.frames("live").isEmpty)
        relay.advance(30_000)
        #expect(bob.frames("message").count == 40)
        #expect(bob.frames("live").count == 1)
    }

    @Test func aSessionInDebtWaitsForTheWindow() {
        let (relay, _, start) = groups(40) {
            $0.arrivalsPerSecond = 10
            $0.arrivalsMax = 5
            $0.bytesPerArrival = 64
        }
        // The piece from the window leaves a debt; the next session has to wait for its own.
        let bob = relay.connect("bob", resume: start)
        #expect(bob.frames("live").count == 1)
        bob.drop()
        #expect(welcomes(relay, resume: start) == 0)
        relay.advance(2_000)
        let again = relay.connect("bob", resume: start)
        relay.advance(20_000)
        #expect(again.frames("live").count == 1 && again.frames("message").count == 40)
    }

    @Test func aSessionThatSaysHelloAgainAndAgainIsClosed() {
        let (relay, _, _) = groups(0) {
            $0.arrivalsPerSecond = 1
            $0.arrivalsMax = 4
            $0.refusalsMax = 3
        }
        #expect(welcomes(relay, resume: nil) == 1)
        let bob = relay.connect("bob")
        for number in 1...3 { bob.send(#"{"type":"hello","id":\#(number),"token":"bob","device":"phone"}"#) }
        #expect(bob.closeCode == .rateLimited)
    }

    /// Whatever is wrong with it, each has cost the check of a token.
    @Test func aSessionWhoseHelloIsRefusedAgainAndAgainIsClosed() {
        let (relay, _, _) = groups(0) { $0.refusalsMax = 3 }
        let bob = relay.open()
        for number in 1...5 {
            bob.send(
                #"{"type":"hello","id":\#(number),"token":"bob","device":"phone","resume":"memory-999999"}"#)
            relay.settle()
        }
        #expect(bob.codes.prefix(3) == ["bad_position", "bad_position", "bad_position"])
        #expect(bob.closeCode == .rateLimited)
    }

    /// With the usual limits: all devices of a user come back at once, and a phone flaps on top.
    @Test func honestDevicesAreNeverRefused() {
        let (relay, _, start) = groups(300) { $0.windowBytes = 0 }
        let devices = (0..<64).map { relay.connect("bob", "device\($0)", resume: start) }
        #expect(devices.allSatisfy { $0.frames("live").count == 1 })
        for device in devices { device.drop() }
        #expect(welcomes(relay, resume: nil, atMost: 100) == 100)
    }
}
