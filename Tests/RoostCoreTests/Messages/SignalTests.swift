import RoostCore
import RoostFraming
import RoostTestKit
import RoostWire
import Testing

/// `signal`: sent to the others, and not stored.
@Suite struct SignalTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob(
            limits: .with {
                $0.outboxCalmBytes = 500
                $0.outboxSpillBytes = 8_000
            })
    }

    @Test func aSignalReachesTheDevicesThatAMessageWouldReach() {
        let tablet = relay.connect("alice", "tablet")
        let carol = relay.connect("carol")
        alice.tell("signal", ["to": "\(group)", "kind": "cursor", "body": Value(json: "{\"x\": 10}")])
        let signal = bob.frames("signal").first
        #expect(signal?.text("conversation") == group)
        #expect(signal?.text("from") == "alice")
        #expect(signal?.text("kind") == "cursor")
        #expect(signal?["body"]?.raw == Array("{\"x\": 10}".utf8))
        #expect(tablet.frames("signal").count == 1)
        #expect(alice.frames("signal").isEmpty && carol.frames("signal").isEmpty)
    }

    @Test func aSignalWithoutKindIsSentWithoutKind() {
        #expect(alice.outcome("signal", ["to": "\(group)", "body": Value(json: "null")]) == "ok")
        #expect(bob.frames("signal").count == 1)
        #expect(bob.frames("signal").first?["kind"] == nil)
    }

    @Test func aSignalIsNotStored() {
        bob.drop()
        let head = relay.relay.head
        alice.tell("signal", ["to": "\(group)", "body": 1])
        #expect(relay.relay.head == head)
        #expect(relay.connect("bob").frames("signal").isEmpty)
    }

    @Test func aSlowSessionDoesNotGetASignal() {
        bob.isReading = false
        let body = String(repeating: "s", count: 600)
        alice.tell("signal", ["to": "\(group)", "body": "\(body)"])
        alice.tell("signal", ["to": "\(group)", "body": 2])
        #expect(relay.relay.counters.signalsDropped == 1)
        bob.isReading = true
        relay.settle()
        alice.tell("signal", ["to": "\(group)", "body": 3])
        #expect(bob.frames("signal").map { $0["body"]?.integer } == [nil, 3])
    }

    @Test func aSessionThatKeepsUpGetsAWholeBurst() {
        for index in 0..<40 { alice.start("signal", ["to": "\(group)", "body": "burst \(index)"]) }
        relay.settle()
        #expect(bob.frames("signal").count == 40)
        #expect(relay.relay.counters.signalsDropped == 0)
    }

    @Test func aBurstIsBoundedToo() {
        for index in 0..<200 { alice.start("signal", ["to": "\(group)", "body": "burst \(index)"]) }
        let waiting = bob.session.outbox.bytes
        #expect(waiting > 500 && waiting < 8_200)
        relay.settle()
        #expect(bob.frames("signal").count + relay.relay.counters.signalsDropped == 200)
        #expect(relay.relay.counters.signalsDropped > 0)
    }

    /// One signal waits already when the second comes: exactly at the limit, and one byte above it.
    @Test(arguments: [0, 1])
    func aSignalIsDroppedExactlyAboveTheLimit(missing: Int) {
        bob.isReading = false
        alice.tell("signal", ["to": "\(group)", "body": 1])
        let size = bob.session.outbox.bytes
        let relay = RelayHarness(limits: .with { $0.outboxCalmBytes = size - missing })
        let writer = relay.connect("alice")
        let group = writer.makeGroup("bob")
        let reader = relay.connect("bob")
        reader.isReading = false
        for _ in 1...2 { writer.tell("signal", ["to": "\(group)", "body": 1]) }
        #expect(relay.relay.counters.signalsDropped == missing)
        #expect(reader.session.outbox.bytes == size * (2 - missing))
    }
}
