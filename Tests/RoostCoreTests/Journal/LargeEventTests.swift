import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Large events of one user leave room in the writer's queue for those of others.
@Suite struct LargeEventTests {
    private let relay = RelayHarness(
        limits: .with {
            $0.storedBytesPerCommand = 100
            $0.largeBytesFree = 3_000
            $0.largeBytesShare = 1_500
        })

    private func send(_ client: HarnessClient, _ key: String, _ length: Int, to group: String) {
        let text = String(repeating: "x", count: length - 2)
        client.say(#"{"type":"send","id":"\#(key)","to":"\#(group)","key":"\#(key)","body":"\#(text)"}"#)
    }

    private func outcomes(_ client: HarnessClient) -> [String?] {
        client.take().filter { $0["re"] != nil }.map { $0.text("code") ?? $0.text("type") }
    }

    @Test func beyondABoundEachUserHasOnlyAShareOfTheQueue() {
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup(["bob"])
        _ = (alice.take(), bob.take())
        relay.holdsCommits = true
        // Alice alone may have as much as fits.
        for number in 1...3 { send(alice, "a\(number)", 1_000, to: group) }
        relay.settle()
        #expect(outcomes(alice).isEmpty)
        // More than the free room: she has to wait, and Bob may have his share.
        send(alice, "a4", 1_000, to: group)
        send(bob, "b1", 1_000, to: group)
        send(bob, "b2", 1_000, to: group)
        // Small ones aren't counted.
        send(alice, "a5", 50, to: group)
        send(bob, "b3", 50, to: group)
        relay.settle()
        #expect(outcomes(alice) == ["busy"])
        #expect(outcomes(bob) == ["busy"])
        relay.holdsCommits = false
        relay.settle()
        #expect(outcomes(alice) == ["ok", "ok", "ok", "ok"])
        #expect(outcomes(bob) == ["ok", "ok"])
        send(alice, "a4", 1_000, to: group)
        relay.settle()
        #expect(outcomes(alice) == ["ok"])
    }

    @Test func aSingleLargeEventMayAlwaysWait() {
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup(["bob"])
        _ = (alice.take(), bob.take())
        relay.holdsCommits = true
        for number in 1...3 { send(alice, "a\(number)", 1_000, to: group) }
        send(bob, "b1", 5_000, to: group)
        relay.holdsCommits = false
        relay.settle()
        #expect(outcomes(bob) == ["ok"])
    }

    @Test func aFullDiskLeavesNothingCounted() {
        let alice = relay.connect("alice")
        let group = alice.makeGroup(["bob"])
        _ = alice.take()
        relay.holdsCommits = true
        for number in 1...3 { send(alice, "a\(number)", 1_000, to: group) }
        relay.settle()
        relay.fillDisk()
        relay.holdsCommits = false
        relay.makeRoom()
        #expect(outcomes(alice) == ["unavailable", "unavailable", "unavailable"])
        relay.holdsCommits = true
        for number in 1...3 { send(alice, "b\(number)", 1_000, to: group) }
        relay.holdsCommits = false
        relay.settle()
        #expect(outcomes(alice) == ["ok", "ok", "ok"])
    }
}
