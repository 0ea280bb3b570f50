import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// `typing` with `replyTo`: the thread of the typing, and users who don't get it.
@Suite struct TypingThreadTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol", limits: .with { $0.outboxCalmBytes = 500 })
        for number in 1...3 { alice.post("m\(number)", to: group) }
        relay.pause()
    }

    private func type(_ client: HarnessClient, in thread: Int64? = nil) -> String {
        guard let thread else { return client.outcome("typing", ["to": "\(group)"]) }
        return client.outcome("typing", ["to": "\(group)", "replyTo": .init(integerLiteral: thread)])
    }

    /// Alice's typing events at a client: + or -, and the thread.
    private func told(_ client: HarnessClient) -> [String] {
        client.frames("typing").filter { $0.text("user") == "alice" }.map {
            ($0.flag("active") == true ? "+" : "-") + ($0.number("replyTo").map { "\($0)" } ?? "")
        }
    }

    @Test func theThreadIsToldAtTheBeginningAndAtTheEnd() {
        #expect(type(alice, in: 2) == "ok")
        relay.advance(3_200)
        #expect(told(bob) == ["+2", "-2"])
        #expect(type(alice) == "ok")
        alice.post("m4", to: group)
        #expect(told(bob) == ["+2", "-2", "+", "-"])
    }

    @Test func goingToAnotherThreadIsToldOnceAndNotTooSoon() {
        _ = type(alice, in: 2)
        _ = type(alice, in: 3)
        #expect(told(bob) == ["+2"])
        relay.advance(1_000)
        _ = type(alice, in: 3)
        _ = type(alice, in: 3)
        #expect(told(bob) == ["+2", "+3"])
        relay.advance(2_900)
        // An update that came too soon to be sent has kept it going all the same.
        #expect(told(bob) == ["+2", "+3"])
        relay.advance(300)
        #expect(told(bob) == ["+2", "+3", "-3"])
    }

    @Test func anyDeviceEndsItWhereverItIs() {
        _ = type(alice, in: 2)
        #expect(relay.connect("alice", "tablet").outcome("typing", ["to": "\(group)", "active": false]) == "ok")
        #expect(told(bob) == ["+2", "-2"])
    }

    @Test(arguments: [(0, "bad_request"), (-1, "bad_request"), (4, "not_found"), (.max, "not_found"), (3, "ok")])
    func theMessageMustExist(thread: Int64, outcome: String) {
        #expect(type(alice, in: thread) == outcome)
        #expect(told(bob).count == (outcome == "ok" ? 1 : 0))
    }

    @Test func theMessageMayBeDeleted() {
        _ = type(alice, in: 2)
        #expect(alice.outcome("delete", ["conversation": "\(group)", "sequence": 2]) == "ok")
        relay.advance(1_000)
        #expect(type(alice, in: 2) == "ok")
        relay.advance(3_200)
        #expect(told(bob) == ["+2", "-2"])
        #expect(type(alice, in: 2) == "ok")
        #expect(told(bob) == ["+2", "-2", "+2"])
    }

    @Test func theMessageMustBeOneThatTheUserMaySee() {
        let direct = alice.makeDirect("bob")
        alice.post("before", to: direct)
        let type = { alice.outcome("typing", ["to": "@bob", "replyTo": 1]) }
        #expect(type() == "ok")
        #expect(told(bob) == ["+1"])
        _ = alice.request("conversation.leave", ["conversation": "\(direct)"])
        #expect(told(bob) == ["+1", "-1"])
        #expect(type() == "not_found")
        _ = alice.makeDirect("bob")
        #expect(type() == "not_found")
        relay.advance(1_000)
        #expect(alice.outcome("typing", ["to": "@bob"]) == "ok")
        #expect(told(bob) == ["+1", "-1", "+"])
    }

    @Test func anotherConnectionOfTheDeviceEndsIt() {
        _ = type(alice, in: 2)
        _ = relay.connect("alice")
        #expect(told(bob) == ["+2", "-2"])
    }

    @Test func aRestartForgetsIt() {
        _ = type(alice, in: 2)
        relay.crash()
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        #expect(told(bob).isEmpty)
        #expect(type(alice, in: 3) == "ok")
        #expect(told(bob) == ["+3"])
    }

    // MARK: Absent users

    @Test func aBackgroundFetchIsNotTold() {
        let carol = relay.connect("carol", background: true)
        relay.pause()
        _ = type(alice)
        relay.advance(3_200)
        #expect(told(bob) == ["+", "-"])
        #expect(told(carol).isEmpty)
        _ = carol.request("presence", ["state": "idle"])
        _ = type(alice, in: 1)
        #expect(told(carol) == ["+1"])
        _ = carol.request("presence", ["state": "background"])
        relay.advance(3_200)
        #expect(told(carol) == ["+1"])
    }

    @Test func heldBackTypingIsNotSentInTheBackground() {
        bob.isReading = false
        alice.tell("signal", ["to": "\(group)", "body": "\(String(repeating: "s", count: 600))"])
        _ = type(alice)
        bob.start("presence", ["state": "background"], id: 900)
        _ = type(alice, in: 1)
        bob.isReading = true
        relay.settle()
        #expect(told(bob).isEmpty)
        #expect(bob.session.owed.isEmpty)
    }
}
