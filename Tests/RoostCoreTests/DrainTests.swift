import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A drain is announced, loses nothing, and closes all connections.
@Suite struct DrainTests {
    let relay = RelayHarness()
    let alice: HarnessClient
    let group: String

    init() {
        alice = relay.connect("alice")
        group = alice.makeGroup("bob")
    }

    private func drain(spread: Int64 = 1_000) {
        relay.relay.beginDrain(spreadMilliseconds: spread, at: relay.now)
        relay.settle()
    }

    @Test func everybodyIsToldWhenToComeBack() {
        let bob = relay.connect("bob")
        drain()
        for client in [alice, bob] {
            let after = client.frames("drain").first?.number("after") ?? 0
            #expect((500..<1_500).contains(after))
            #expect(client.isOpen)
        }
        drain()
        #expect(alice.frames("drain").count == 1)
    }

    @Test func aDrainRefusesNewCommandsAndFinishesThoseUnderWay() {
        relay.holdsCommits = true
        alice.post("before", to: group)
        drain()
        #expect(alice.outcome("send", ["to": "\(group)", "key": "k", "body": "after"]) == "unavailable")
        #expect(!relay.relay.isSettled)
        relay.holdsCommits = false
        relay.settle()
        #expect(relay.relay.isSettled)
        #expect(alice.frames("ok").last?.number("sequence") == 1)
        #expect(alice.outcome("history", ["conversation": "\(group)"]) == "ok")
    }

    @Test func duringADrainNewSessionsAreSentAway() {
        drain()
        let bob = relay.connect("bob")
        #expect(bob.codes == ["unavailable"])
        #expect(bob.frames("error").first?.number("retryAfter") != nil)
    }

    @Test func aTokenThatIsBeingCheckedComesTooLate() {
        let bob = relay.open()
        bob.start("hello", ["token": "bob", "device": "phone"])
        drain()
        #expect(bob.codes == ["unavailable"])
    }

    @Test func closeAllEndsEverySession() {
        let silent = relay.open()
        drain()
        relay.relay.closeAll(at: relay.now)
        relay.settle()
        #expect(alice.closeCode == .drain)
        #expect(silent.closeCode == .drain)
        #expect(relay.relay.openConnections == 0)
    }

    @Test func anAckIsStored() {
        let bob = relay.connect("bob")
        alice.post("hi", to: group)
        bob.ackAll()
        drain()
        relay.crash()
        #expect(relay.connect("bob").bodies.isEmpty)
    }
}
