import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `version` of a message, and `ifVersion` of an edit.
@Suite struct EditVersionTests {
    private func edit(_ client: HarnessClient, _ group: String, _ body: String, _ version: Int64? = nil) -> JSONValue? {
        let condition = version.map { #","ifVersion":\#($0)"# } ?? ""
        return client.ask(
            #"{"type":"edit","id":7,"conversation":"\#(group)","sequence":1,"body":"\#(body)"\#(condition)}"#)
    }

    private func shown(_ client: HarnessClient, _ group: String) -> JSONValue? {
        client.request("history", ["conversation": "\(group)"])?.list("messages").first
    }

    @Test func aStaleEditIsAConflictAndChangesNothing() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        alice.post("first", to: group)
        #expect(shown(bob, group)?["version"] == nil)
        #expect(edit(alice, group, "by the phone", 1)?.number("version") == 2)
        #expect(bob.frames("edit").last?.number("version") == 2)
        let stale = edit(alice, group, "by the laptop", 1)
        #expect(stale?.text("code") == "conflict")
        #expect(stale?.text("reason")?.hasPrefix("ifVersion") == true)
        #expect(shown(bob, group)?.text("body") == "by the phone")
        #expect(edit(alice, group, "by the laptop", 2)?.number("version") == 3)
        #expect(edit(alice, group, "whatever came before")?.number("version") == 4)
        #expect(shown(bob, group)?.number("version") == 4)
        relay.crash()
        let back = relay.connect("alice")
        #expect(shown(back, group)?.number("version") == 4)
        #expect(edit(back, group, "late", 3)?.text("code") == "conflict")
    }

    /// A retry finds its own edit, whatever version it names.
    @Test func theSameBodyAgainIsADuplicate() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        alice.post("first", to: group)
        #expect(edit(alice, group, "second", 1)?.outcome == "ok")
        #expect(edit(alice, group, "second", 1)?.flag("duplicate") == true)
        #expect(shown(alice, group)?.number("version") == 2)
    }

    @Test(arguments: [true, false])
    func catchingUpBringsTheVersion(fromWindow: Bool) {
        let limits = Limits.with { if !fromWindow { $0.windowBytes = 0 } }
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(limits: limits)
        defer { relay.settle() }
        alice.post("first", to: group)
        bob.ackAll()
        bob.drop()
        _ = edit(alice, group, "second")
        _ = edit(alice, group, "third")
        let back = relay.connect("bob")
        #expect(back.frames("edit").last?.number("version") == 3)
        _ = alice.outcome("delete", ["conversation": "\(group)", "sequence": 1])
        #expect(shown(back, group)?["version"] == nil)
    }
}
