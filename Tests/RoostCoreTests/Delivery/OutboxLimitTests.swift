import RoostCore
import RoostFraming
import RoostTestKit
import RoostWire
import Testing

/// The bytes that wait for a connection are bounded. A client that doesn't read hurts only itself.
@Suite struct OutboxLimitTests {
    private static let pong = #"{"type":"pong","re":1,"time":1700001000000}"#.utf8.count + 2

    @Test func repliesMayFillTheOutboxToTheLimitAndNotPast() {
        let relay = RelayHarness(limits: .with { $0.outboxMaxBytes = max(1_000, Self.pong * 40) })
        let most = max(1_000, Self.pong * 40) / Self.pong
        let alice = relay.connect("alice")
        alice.isReading = false
        for _ in 0..<most { alice.tell("ping", ["id": 1]) }
        #expect(alice.session.outbox.bytes == most * Self.pong)
        #expect(alice.session.closing == nil)
        alice.tell("ping", ["id": 1])
        #expect(alice.session.closing == .tooSlow)
        #expect(!alice.session.isReady)
        alice.isReading = true
        relay.settle()
        #expect(alice.closeCode == .tooSlow)
    }

    @Test func aSessionThatKeepsUpGetsABatchLargerThanItsOutboxInParts() {
        let relay = RelayHarness(limits: .with { $0.outboxSpillBytes = 8_000 })
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let slow = relay.connect("slow")
        let group = alice.makeGroup("bob", "slow")
        let before = bob.frames("message").count
        slow.isReading = false
        relay.holdsCommits = true
        let body = String(repeating: "m", count: 500)
        for index in 1...40 { alice.tell("send", ["id": 1, "to": "\(group)", "key": "k\(index)", "body": "\(body)"]) }
        relay.holdsCommits = false
        relay.settle()
        #expect(bob.frames("message").count == before + 40)
        #expect(alice.frames("ok").filter { $0["sequence"] != nil }.count == 40)
        // Only the client that doesn't read fell behind, and it still gets everything.
        #expect(relay.relay.counters.behind.spills == 1)
        slow.isReading = true
        relay.settle()
        #expect(slow.frames("message").compactMap { $0["sequence"]?.integer } == Array(1...40))
        #expect(bob.frames("message").compactMap { $0["sequence"]?.integer } == Array(1...40))
    }

    /// Many devices of one user may together be no slower than a few.
    @Test func allDevicesOfAUserShareABound() {
        let bytes = max(1_000, Self.pong * 40)
        let relay = RelayHarness(
            limits: .with {
                $0.outboxMaxBytes = bytes
                $0.outboxCalmBytes = Self.pong * 10
                $0.outboxUserBytes = bytes
            })
        let bob = relay.connect("bob")
        bob.isReading = false
        let devices = (0..<4).map { relay.connect("alice", "d\($0)") }
        for device in devices {
            device.isReading = false
            for _ in 0..<20 { device.tell("ping", ["id": 1]) }
        }
        // Two of them together have as much as one may; the others got no more than calm sessions may have.
        #expect(devices.map { $0.session.closing == nil } == [true, true, false, false])
        let waiting = devices.reduce(0) { $0 + $1.session.outbox.bytes }
        #expect(waiting <= bytes + 2 * Self.pong * 10)
        for _ in 0..<20 { bob.tell("ping", ["id": 1]) }
        #expect(bob.session.closing == nil)
    }

    @Test func allConnectionsShareABound() {
        let relay = RelayHarness(
            limits: .with {
                $0.outboxCalmBytes = 600
                $0.outboxAllBytes = 8_000
            })
        let alice = relay.connect("alice")
        let names = (1...10).map { "u\($0)" }
        let slow = names.map { relay.connect($0) }
        let bob = relay.connect("bob")
        let group = alice.makeGroup(names + ["bob"])
        alice.post("m0", to: group)
        for client in slow { client.isReading = false }
        for client in slow.suffix(4) { for _ in 0..<10 { client.tell("ping", ["id": 1]) } }
        for _ in 0..<40 { for client in slow.prefix(6) { client.tell("ping", ["id": 1]) } }
        // Some were closed; those who read are served.
        #expect(slow.contains { $0.session.closing == .tooSlow })
        #expect(slow.reduce(0) { $0 + $1.session.outbox.bytes } <= 8_000 + 10 * 600)
        #expect(relay.relay.outboxBytes == slow.reduce(0) { $0 + $1.session.outbox.bytes })
        alice.post("m1", to: group)
        #expect(bob.bodies == ["m0", "m1"])
        #expect(bob.outcome("history", ["conversation": "\(group)"]) == "ok")
        let asking = slow.first { $0.session.isReady }
        asking?.tell("history", ["id": 7, "conversation": "\(group)"])
        // Slow sessions get durable events from catch-up.
        #expect(slow.suffix(4).allSatisfy { $0.session.isReady })
        #expect(relay.relay.counters.behind.sessions == slow.count { $0.session.isReady })
        for client in slow { client.isReading = true }
        relay.settle()
        #expect(relay.relay.outboxBytes == 0)
        #expect(asking?.codes == ["busy"])
        #expect(slow.filter { $0.closeCode == nil }.allSatisfy { $0.bodies == ["m0", "m1"] })
    }

    @Test func aSessionOwedTooMuchIsClosed() {
        let relay = RelayHarness(
            limits: .with {
                $0.owedMax = 3
                $0.outboxCalmBytes = 500
                $0.receiptMembersMax = 0
            })
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let groups = (1...4).map { _ in alice.makeGroup("bob") }
        bob.isReading = false
        alice.tell("signal", ["to": "\(groups[0])", "body": "\(String(repeating: "s", count: 600))"])
        for group in groups.prefix(3) { alice.tell("typing", ["to": "\(group)"]) }
        // A state that is owed already counts once.
        alice.tell("typing", ["to": "\(groups[0])", "active": false])
        #expect(bob.session.closing == nil)
        alice.tell("typing", ["to": "\(groups[3])"])
        #expect(bob.session.closing == .tooSlow)
    }

    @Test func aSlowWatcherIsOwedPresenceUpToTheSameLimit() {
        let relay = RelayHarness(
            limits: .with {
                $0.owedMax = 2
                $0.outboxCalmBytes = 500
            })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("a", "b", "c")
        _ = alice.request("watch", ["users": ["a", "b", "c"]])
        alice.isReading = false
        let one = relay.connect("a")
        one.tell("signal", ["to": "\(group)", "body": "\(String(repeating: "s", count: 600))"])
        _ = relay.connect("b")
        relay.pause()
        #expect(alice.session.closing == nil)
        _ = relay.connect("c")
        relay.pause()
        #expect(alice.session.closing == .tooSlow)
    }

    /// The end of the session removes it from the audience of the event being sent.
    @Test func aSessionThatEndsDuringATickDisturbsNobody() {
        let relay = RelayHarness(
            limits: .with {
                $0.owedMax = 1
                $0.outboxCalmBytes = 500
            })
        let alice = relay.connect("alice")
        let slow = (1...3).map { relay.connect("slow\($0)") }
        let reader = relay.connect("reader")
        let names = ["slow1", "slow2", "slow3", "reader"]
        let make: (String) -> String = { name in
            alice.request("conversation.create", ["kind": "group", "name": "\(name)", "members": .list(names)])?[
                "conversation"]?.text("conversation") ?? ""
        }
        let groups = ["one", "two"].map(make)
        for client in slow { client.tell("typing", ["to": "\(groups[0])"]) }
        for client in slow { client.isReading = false }
        alice.tell("signal", ["to": "\(groups[0])", "body": "\(String(repeating: "s", count: 600))"])
        for group in groups { alice.tell("typing", ["to": "\(group)"]) }
        #expect(slow.allSatisfy { $0.session.closing == .tooSlow })
        #expect(reader.isOpen)
        // Three users began before, and Alice began twice. The end of the three sessions ended their typing.
        #expect(reader.frames("typing").filter { $0.flag("active") == true }.count == 5)
        #expect(reader.frames("typing").filter { $0.flag("active") == false }.count == 3)
        #expect(relay.relay.readySessions == 2)
    }

    @Test func aSessionThatEndedTakesAndGetsNothing() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        alice.isReading = false
        alice.tell("bye")
        let waiting = alice.session.outbox.count
        alice.say(#"{"type":"ping","id":2}"#)
        relay.connect("bob").post("hi", to: group)
        #expect(alice.session.outbox.count == waiting)
    }

    @Test func everySessionIsVisitedOncePerTurn() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        for id in 1...3 { alice.start("ping", id: id) }
        let touched = relay.relay.takeTouched()
        #expect(touched.count == 1)
        #expect(touched.first === alice.session)
        #expect(relay.relay.takeTouched().isEmpty)
    }
}
