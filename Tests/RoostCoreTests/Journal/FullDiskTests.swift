import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// The disk of the store is full: what would have to be stored is refused, and everything else goes on.
@Suite struct FullDiskTests {
    @Test func commandsUnderWayAreRefusedWithoutAnEffect() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        alice.forget()
        bob.forget()
        relay.holdsCommits = true
        alice.start("send", ["to": "\(group)", "key": "one", "body": "b"], id: 1)
        // These gather behind the batch of the first.
        alice.start("send", ["to": "@carol", "key": "two", "body": "b"], id: 2)
        alice.start("conversation.create", ["kind": "group", "name": "G"], id: 3)
        alice.start("conversation.remove", ["conversation": "\(group)", "users": ["bob"]], id: 4)
        relay.fillDisk()
        #expect(alice.frames.map { $0.number("re") } == [1, 2, 3, 4])
        #expect(alice.codes == Array(repeating: "unavailable", count: 4))
        #expect(alice.frames.allSatisfy { $0.number("retryAfter") == Limits().fullRetryMilliseconds })
        #expect(bob.frames.isEmpty)
        #expect(relay.relay.pendingEvents == 0 && relay.relay.isFull && relay.relay.isServing)
        #expect(relay.relay.counters.conversations == 1)
        relay.holdsCommits = false
        relay.makeRoom()
        #expect(!relay.relay.isFull)
        // Bob is still a member, and the refused keys are new.
        #expect(bob.outcome("send", ["to": "\(group)", "key": "three", "body": "b"]) == "ok")
        #expect(alice.request("send", ["to": "\(group)", "key": "one", "body": "b"])?.number("sequence") == 2)
    }

    @Test func aBatchThatTheWriterHasMayStillBeStored() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        alice.forget()
        relay.holdsCommits = true
        alice.start("send", ["to": "\(group)", "key": "one", "body": "b"], id: 1)
        relay.settle()
        alice.start("send", ["to": "\(group)", "key": "two", "body": "b"], id: 2)
        relay.relay.roomIsGone(at: relay.now)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes == ["unavailable"])
        #expect(alice.frames("ok").map { $0.number("re") } == [1])
    }

    @Test func readingAndWhatIsNotStoredGoOn() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        alice.post("one", to: group)
        relay.fillDisk()
        alice.forget()
        bob.forget()
        #expect(bob.request("history", ["conversation": "\(group)"])?.list("messages").count == 1)
        #expect(bob.outcome("typing", ["to": "\(group)"]) == "ok")
        #expect(bob.outcome("signal", ["to": "\(group)", "body": 1]) == "ok")
        #expect(bob.outcome("read", ["conversation": "\(group)", "sequence": 1]) == "ok")
        relay.advance(100)
        for type in ["typing", "signal", "receipt"] { #expect(!alice.frames(type).isEmpty, "\(type)") }
        #expect(bob.outcome("send", ["to": "\(group)", "key": "k", "body": "b"]) == "unavailable")
        // A known device may come, and an unknown one would have to be stored.
        #expect(relay.connect("bob", "phone").session.isReady)
        #expect(relay.connect("carol").codes == ["unavailable"])
    }

    /// States that change while the disk is full are stored once it isn't, each once.
    @Test func theNewestStatesWait() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        for number in 1...20 { alice.post("m\(number)", to: group) }
        relay.advance(1_000)
        relay.holdsCommits = true
        bob.send(#"{"type":"read","conversation":"\#(group)","sequence":3}"#)
        relay.advance(6_000)
        relay.fillDisk()
        for number in 4...20 {
            bob.send(#"{"type":"read","conversation":"\#(group)","sequence":\#(number)}"#)
            // Long enough for a sign of life each time.
            relay.advance(6_000)
            // A batch that is tried in between gives back what it took.
            if number % 5 == 0 {
                relay.makeRoom()
                relay.fillDisk()
            }
        }
        relay.holdsCommits = true
        relay.relay.roomIsBack(at: relay.now)
        relay.settle()
        let batch = relay.heldBatch ?? []
        #expect(batch.count { if case .alive = $0 { true } else { false } } == 1)
        #expect(batch.count { if case .watermark = $0 { true } else { false } } == 1)
        relay.holdsCommits = false
        relay.advance(1_000)
        #expect(relay.log.load().members.allSatisfy { $0.watermark.read == SequenceNumber(20) })
    }

    /// A drain doesn't wait for a disk that is full.
    @Test func aDrainOnAFullDiskComesToAnEnd() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        alice.post("one", to: group)
        relay.fillDisk()
        alice.send(#"{"type":"read","conversation":"\#(group)","sequence":1}"#)
        relay.relay.beginDrain(spreadMilliseconds: 0, at: relay.now)
        #expect(relay.relay.isSettled && !relay.relay.isStored)
    }
}
