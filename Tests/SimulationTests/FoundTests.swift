import RoostCore
import RoostFraming
import RoostTestKit
import RoostWire
import Testing

/// Faults that the simulation has found in the Relay, each in the fewest steps that show it.
@Suite struct FoundTests {
    /// A frame above the spill limit came to an empty outbox. The end of its writing was never reported, and the
    /// session stayed behind for good.
    @Test func spillOntoAnEmptyOutbox() {
        var limits = Limits()
        limits.outboxSpillBytes = 400
        let harness = RelayHarness(limits: limits)
        let alice = harness.connect("alice")
        let bob = harness.connect("bob")
        alice.send(#"{"type":"send","id":1,"to":"@bob","key":"k1","body":"Hello"}"#)
        let body = String(repeating: "x", count: 500)
        alice.send(#"{"type":"send","id":2,"to":"@bob","key":"k2","body":"\#(body)"}"#)
        #expect(bob.frames("message").count == 2)
    }

    /// Messages from before a user's return are hidden from the user, and so are changes to them.
    @Test func changesOfHiddenMessages() {
        let harness = RelayHarness()
        let alice = harness.connect("alice")
        let bob = harness.connect("bob")
        alice.send(#"{"type":"send","id":1,"to":"@bob","key":"k1","body":"Between us"}"#)
        bob.send(#"{"type":"conversation.leave","id":1,"conversation":"@alice"}"#)
        alice.send(#"{"type":"send","id":2,"to":"@bob","key":"k2","body":"Come back"}"#)
        alice.send(#"{"type":"edit","id":3,"conversation":"@bob","sequence":1,"body":"Still between us"}"#)
        #expect(bob.frames("message").count == 2)
        #expect(bob.frames("edit").isEmpty)
    }

    /// A snapshot between two ticks contained a state that the next tick didn't correct.
    @Test func snapshotBetweenTicks() {
        let harness = RelayHarness()
        let alice = harness.connect("alice")
        alice.send(#"{"type":"conversation.create","id":1,"kind":"direct","members":["bob"]}"#)
        let bob = harness.connect("bob")
        harness.advance(1_000)
        bob.send(#"{"type":"bye"}"#)
        let second = harness.connect("alice", "tablet")
        _ = harness.connect("bob")
        harness.advance(1_000)
        let told = second.frames("presence").last?["users"]?.elements?.first?["state"]?.string
        #expect(told == "online")
    }

    /// A user who hid from a typist got neither the typist's move to another thread nor, after that, the end.
    @Test func typistMovesOutOfSight() {
        let harness = RelayHarness()
        let alice = harness.connect("alice")
        let bob = harness.connect("bob")
        alice.send(#"{"type":"send","id":1,"to":"@bob","key":"k","body":"A thread"}"#)
        alice.send(#"{"type":"typing","to":"@bob"}"#)
        #expect(bob.frames("typing").last?["active"]?.bool == true)
        harness.advance(1_500)
        bob.send(#"{"type":"privacy","id":1,"presence":"nobody"}"#)
        alice.send(#"{"type":"typing","to":"@bob","replyTo":1}"#)
        harness.advance(10_000)
        #expect(bob.frames("typing").last?["active"]?.bool == false)
    }

    /// A reaction to a message of a gap, from after the gap was sent, wasn't sent: the device had asked for the history
    /// before it.
    @Test func changeAfterGap() {
        var span = PageRequest.Span(ConversationNumber(1), after: .start, upTo: Position(.max))
        span.skip = .init(from: SequenceNumber(3), to: SequenceNumber(9), place: .start, upTo: Position(20))
        #expect(span.leavesOut(SequenceNumber(9), at: Position(20)))
        #expect(!span.leavesOut(SequenceNumber(9), at: Position(21)))
        #expect(!span.leavesOut(SequenceNumber(10), at: Position(20)))
        #expect(!span.leavesOut(SequenceNumber(2), at: Position(20)))
    }

    /// A session shorter than a tick was neither sent nor stored, so a restart forgot it.
    @Test func shortVisit() {
        let harness = RelayHarness()
        let alice = harness.connect("alice")
        alice.send(#"{"type":"conversation.create","id":1,"kind":"direct","members":["bob"]}"#)
        harness.advance(1_000)
        let seen = harness.now.wall.milliseconds
        harness.connect("bob").send(#"{"type":"bye"}"#)
        harness.advance(60_000)
        harness.crash()
        let told = harness.connect("alice").frames("presence").last?["users"]?.elements?.first
        #expect(told?["state"]?.string == "offline")
        #expect(told?["lastSeen"]?.integer == seen)
    }

    /// A user was online for less than the 5 s between two notes that the relay is alive. After a crash, the last-seen
    /// time was from before the relay's start.
    @Test func crashSoonAfterComing() {
        let harness = RelayHarness()
        harness.connect("alice").send(#"{"type":"conversation.create","id":1,"kind":"direct","members":["bob"]}"#)
        harness.crash()
        harness.advance(3_600_000)
        let came = harness.now.wall.milliseconds
        _ = harness.connect("bob")
        harness.advance(1_000)
        harness.crash()
        harness.advance(16_000)
        let told = harness.connect("alice").frames("presence").last?["users"]?.elements?.first
        #expect(told?["state"]?.string == "offline")
        #expect(told?["lastSeen"]?.integer ?? 0 >= came)
    }

    /// A background fetch of the same device took over, and the user's last-seen time was lost.
    @Test func backgroundTakesOver() {
        let harness = RelayHarness()
        let alice = harness.connect("alice")
        alice.send(#"{"type":"conversation.create","id":1,"kind":"direct","members":["bob"]}"#)
        _ = harness.connect("bob")
        harness.advance(10_000)
        let left = harness.now.wall.milliseconds
        _ = harness.connect("bob", background: true)
        harness.advance(1_000)
        let told = alice.frames("presence").last?["users"]?.elements?.first
        #expect(told?["state"]?.string == "offline")
        #expect(told?["lastSeen"]?.integer == left)
    }

    /// Messages that `resume` acks count as delivered.
    @Test func resumeIsAnAck() {
        let harness = RelayHarness()
        let alice = harness.connect("alice")
        let bob = harness.connect("bob")
        alice.send(#"{"type":"send","id":1,"to":"@bob","key":"k1","body":"Hello"}"#)
        let position = bob.frames("message").last?["position"]?.string
        bob.drop()
        _ = harness.connect("bob", resume: position)
        harness.advance(100)
        let receipt = alice.frames("receipt").last { $0["user"]?.string == "bob" }
        #expect(receipt?["delivered"]?.integer == 1)
    }

    /// A return to a direct conversation was stored, and then refused because the session had too many reads under way.
    @Test func rejoinWhileReading() {
        var limits = Limits()
        limits.readsPerSession = 1
        let harness = RelayHarness(limits: limits)
        let alice = harness.connect("alice")
        let bob = harness.connect("bob")
        alice.send(#"{"type":"send","id":1,"to":"@bob","key":"k1","body":"Hello"}"#)
        harness.holdsCommits = true
        harness.holdsReads = true
        bob.say(#"{"type":"send","id":1,"to":"@alice","key":"k2","body":"Wait"}"#)
        alice.say(#"{"type":"conversation.leave","id":2,"conversation":"@bob"}"#)
        alice.say(#"{"type":"conversation.list","id":3}"#)
        alice.say(#"{"type":"conversation.create","id":4,"kind":"direct","members":["bob"]}"#)
        harness.holdsCommits = false
        harness.settle()
        #expect(alice.frames("ok").contains { $0["re"]?.integer == 4 })
        #expect(alice.frames("error").isEmpty)
    }
}
