import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Prospects are seen and changed by their owner alone, on all devices.
@Suite struct ProspectTests {
    private func prospects(_ client: HarnessClient) -> [String] {
        client.request("prospect.list")?.list("prospects").map { "\($0.text("name") ?? "-") \($0.text("note") ?? "-")" }
            .sorted() ?? ["nothing"]
    }

    private func add(_ name: String, to client: HarnessClient) -> String {
        client.request("prospect.set", ["name": "\(name)"])?["prospect"]?.text("prospect") ?? "none"
    }

    @Test func onlyTheOwnerSeesThem() {
        let relay = RelayHarness()
        let (alice, tablet, bob) = (relay.connect("alice"), relay.connect("alice", "tablet"), relay.connect("bob"))
        _ = (alice.take(), tablet.take(), bob.take())
        let yann = add("Yann", to: alice)
        #expect(alice.outcome("prospect.set", ["name": "Zoe", "note": "knee"]) == "ok")
        #expect(prospects(tablet) == ["Yann -", "Zoe knee"])
        #expect(prospects(bob) == [])
        #expect(bob.outcome("prospect.set", ["prospect": "\(yann)", "name": "mine"]) == "not_found")
        #expect(bob.outcome("prospect.remove", ["prospect": "\(yann)"]) == "ok")
        #expect(prospects(alice) == ["Yann -", "Zoe knee"])
        #expect(tablet.frames("prospects").compactMap { $0.number("count") } == [1, 2])
        #expect(alice.frames("prospects").isEmpty && bob.frames("prospects").isEmpty)
        #expect(bob.frames.allSatisfy { !"\($0.raw)".contains("Yann") })
    }

    @Test func theyAreChangedAndRemovedAndOutliveARestart() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let yann = add("Yann", to: alice)
        #expect(alice.outcome("prospect.set", ["prospect": "\(yann)", "name": "Yann", "note": "called"]) == "ok")
        // A note that isn't named stays; an empty one goes.
        #expect(alice.outcome("prospect.set", ["prospect": "\(yann)", "name": "Yann K"]) == "ok")
        #expect(prospects(alice) == ["Yann K called"])
        let zoe = add("Zoe", to: alice)
        relay.crash()
        let again = relay.connect("alice")
        #expect(prospects(again) == ["Yann K called", "Zoe -"])
        #expect(again.outcome("prospect.set", ["prospect": "\(yann)", "name": "Yann", "note": ""]) == "ok")
        for _ in 0..<2 { #expect(again.outcome("prospect.remove", ["prospect": "\(zoe)"]) == "ok") }
        relay.crash()
        #expect(prospects(relay.connect("alice")) == ["Yann -"])
    }

    @Test func thereAreAtMostProspectsPerUser() {
        let relay = RelayHarness(limits: .with { $0.prospectsPerUser = 2 })
        let alice = relay.connect("alice")
        let first = add("one", to: alice)
        _ = add("two", to: alice)
        #expect(alice.outcome("prospect.set", ["name": "three"]) == "too_large")
        #expect(alice.outcome("prospect.set", ["prospect": "\(first)", "name": "first"]) == "ok")
        #expect(alice.outcome("prospect.remove", ["prospect": "\(first)"]) == "ok")
        #expect(alice.outcome("prospect.set", ["name": "three"]) == "ok")
        #expect(alice.outcome("prospect.set", ["name": "  "]) == "bad_request")
        #expect(alice.outcome("prospect.set", ["name": "\(String(repeating: "x", count: 257))"]) == "too_large")
        let note = String(repeating: "x", count: 513)
        #expect(alice.outcome("prospect.set", ["name": "n", "note": "\(note)"]) == "too_large")
    }

    @Test func pagesGoOnBehindOneThatWasRemoved() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let ids = (0..<5).map { add("p\($0)", to: alice) }.sorted()
        let first = alice.request("prospect.list", ["limit": 2])
        #expect(first?.list("prospects").compactMap { $0.text("prospect") } == Array(ids[0..<2]))
        #expect(first?.text("next") == ids[1])
        #expect(alice.outcome("prospect.remove", ["prospect": "\(ids[1])"]) == "ok")
        let second = alice.request("prospect.list", ["after": "\(ids[1])"])
        #expect(second?.list("prospects").compactMap { $0.text("prospect") } == Array(ids[2...]))
        #expect(second?["next"] == nil)
    }
}
