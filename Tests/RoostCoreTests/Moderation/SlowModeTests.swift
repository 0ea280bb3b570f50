import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// `conversation.slow`: how often a member may write in a group.
@Suite struct SlowModeTests {
    private let relay: RelayHarness
    private let alice: HarnessClient
    private let bob: HarnessClient
    private let group: String

    init() { (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol") }

    @discardableResult
    private func setSlow(_ time: Int64, by client: HarnessClient) -> JSONValue? {
        client.request("conversation.slow", ["conversation": "\(group)", "after": .init(integerLiteral: time)])
    }

    @Test("a member writes once in the time, is told how long to wait, and isn't kept from anything else")
    func waits() {
        #expect(setSlow(10_000, by: alice)?.text("position") != nil)
        let told = bob.frames("conversation").last
        #expect(told?.text("event") == "slow" && told?.number("after") == 10_000 && told?.text("by") == "alice")
        let shown = bob.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
        #expect(shown?.number("slow") == 10_000)
        #expect(bob.post("one", to: group)?.outcome == "ok")
        relay.advance(4_000)
        let refused = bob.post("two", to: group)
        #expect(refused?.outcome == "rate_limited" && refused?.number("retryAfter") == 6_000)
        #expect(refused?.text("conversation") == group && refused?.flag("retry") == true)
        #expect(bob.outcome("edit", ["conversation": "\(group)", "sequence": 1, "body": "one!"]) == "ok")
        #expect(bob.outcome("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"]) == "ok")
        #expect(bob.outcome("typing", ["to": "\(group)"]) == "ok")
        let direct = bob.makeDirect("carol")
        #expect(bob.post("elsewhere", to: direct)?.outcome == "ok")
        #expect(relay.connect("carol").post("mine", to: group)?.outcome == "ok")
        relay.advance(5_999)
        #expect(bob.post("two", to: group)?.number("retryAfter") == 1)
        relay.advance(1)
        #expect(bob.post("two", to: group)?.outcome == "ok")
        #expect(bob.post("three", to: group)?.outcome == "rate_limited")
        #expect(setSlow(0, by: alice)?.text("position") != nil)
        #expect(bob.post("three", to: group)?.outcome == "ok")
        #expect(setSlow(0, by: alice)?.flag("duplicate") == true)
    }

    @Test("owner and admins write when they want, and only they set it")
    func exempt() {
        #expect(setSlow(60_000, by: bob)?.outcome == "forbidden")
        setSlow(60_000, by: alice)
        for key in ["a", "b", "c"] { #expect(alice.post(key, to: group)?.outcome == "ok") }
        #expect(bob.post("a", to: group)?.outcome == "ok")
        #expect(bob.post("b", to: group)?.outcome == "rate_limited")
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "admin"])
        #expect(bob.post("b", to: group)?.outcome == "ok")
        // Its messages as an admin count once it is a member again.
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "member"])
        #expect(bob.post("c", to: group)?.outcome == "rate_limited")
        let direct = bob.makeDirect("carol")
        #expect(bob.outcome("conversation.slow", ["conversation": "\(direct)", "after": 1_000]) == "conflict")
    }

    @Test("a retry of what was sent gets its first answer, and costs no wait")
    func retried() {
        setSlow(10_000, by: alice)
        let first = bob.post("m", to: group)
        let again = bob.post("m", to: group)
        #expect(again?.flag("duplicate") == true && again?.number("sequence") == first?.number("sequence"))
        relay.advance(10_000)
        #expect(bob.post("m", to: group)?.flag("duplicate") == true)
        #expect(bob.post("n", to: group)?.outcome == "ok")
    }

    @Test("of two messages at once one is taken, and judged by what is under way")
    func underWay() {
        relay.holdsCommits = true
        alice.start("conversation.slow", ["conversation": "\(group)", "after": 5_000], id: 7)
        bob.start("send", ["to": "\(group)", "key": "k1", "body": "one"], id: 8)
        bob.start("send", ["to": "\(group)", "key": "k2", "body": "two"], id: 9)
        relay.holdsCommits = false
        relay.settle()
        let refused = bob.frames("error").last
        #expect(refused?.text("code") == "rate_limited" && refused?.number("retryAfter") == 5_000)
        #expect(alice.bodies == ["one"])
    }

    @Test("the wait of the group outlives a crash, and who has to wait is forgotten by it")
    func lasting() {
        setSlow(60_000, by: alice)
        #expect(bob.post("a", to: group)?.outcome == "ok")
        relay.crash()
        let bob = relay.connect("bob")
        #expect(bob.post("b", to: group)?.outcome == "ok")
        #expect(bob.post("c", to: group)?.number("retryAfter") == 60_000)
        // Leaving and coming back doesn't end it.
        #expect(bob.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        let add: Members = ["conversation": "\(group)", "users": ["bob"]]
        #expect(relay.connect("alice").outcome("conversation.add", add) == "ok")
        #expect(bob.post("c", to: group)?.outcome == "rate_limited")
    }

    @Test("those whose wait is over are forgotten, however many have written")
    func bounded() {
        var pace = Pace()
        pace.set(1_000)
        for number in 1...100_000 {
            pace.note(UserNumber(Int32(number)), at: Timestamp(milliseconds: Int64(number) * 20))
            #expect(pace.count <= 128)
        }
        pace.set(0)
        #expect(pace.count == 0 && !pace.isSlow)
    }

    @Test("a clock that is set back keeps nobody from writing")
    func clock() {
        var pace = Pace()
        pace.set(1_000)
        pace.note(UserNumber(1), at: Timestamp(milliseconds: 100_000))
        #expect(pace.wait(of: UserNumber(1), at: Timestamp(milliseconds: 100_400)) == 600)
        #expect(pace.wait(of: UserNumber(1), at: Timestamp(milliseconds: 50_000)) == 0)
    }
}
