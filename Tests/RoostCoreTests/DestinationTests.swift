import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A session remembers which conversation its last command named. It must not let anybody write who may not, nor keep
/// messages from a user who has returned.
@Suite struct DestinationTests {
    let relay = RelayHarness()
    let alice: HarnessClient
    let bob: HarnessClient

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
    }

    private func signal(_ client: HarnessClient, to destination: String) -> String? {
        client.outcome("signal", ["to": "\(destination)", "body": "s"])
    }

    @Test func signalsInARowSayTheSame() {
        let group = alice.makeGroup("bob")
        bob.forget()
        for _ in 0..<3 { #expect(signal(alice, to: group) == "ok") }
        let signals = bob.frames("signal")
        #expect(signals.count == 3)
        #expect(signals.allSatisfy { $0.text("conversation") == group && $0.text("from") == "alice" })
    }

    @Test func namesOfOneLengthAreToldApart() {
        let eve = relay.connect("eve")
        for (index, name) in ["bob", "eve", "bob"].enumerated() { alice.post("\(index)-\(name)", to: "@\(name)") }
        #expect(bob.bodies == ["0-bob", "2-bob"])
        #expect(eve.bodies == ["1-eve"])
    }

    @Test func aRemovedMemberIsRefused() {
        let group = alice.makeGroup("bob")
        #expect(signal(bob, to: group) == "ok")
        #expect(bob.post("hi", to: group) != nil)
        #expect(alice.outcome("conversation.remove", ["conversation": "\(group)", "users": ["bob"]]) == "ok")
        #expect(signal(bob, to: group) == "not_found")
        #expect(bob.outcome("send", ["to": "\(group)", "key": "late", "body": "b"]) == "not_found")
    }

    @Test func aMemberBeingRemovedIsRefusedAtOnce() {
        let group = alice.makeGroup("bob")
        #expect(signal(bob, to: group) == "ok")
        relay.holdsCommits = true
        bob.start("conversation.leave", ["conversation": "\(group)"], id: 1)
        #expect(signal(bob, to: group) == "not_found")
        relay.holdsCommits = false
        relay.settle()
        #expect(signal(bob, to: group) == "not_found")
    }

    @Test func aUserWhoReturnedMayWriteAgain() {
        let group = alice.makeGroup("bob")
        #expect(signal(bob, to: group) == "ok")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(signal(bob, to: group) == "not_found")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["bob"]]) == "ok")
        #expect(signal(bob, to: group) == "ok")
    }

    @Test func aRememberedDestinationStillBringsTheOtherUserBack() {
        #expect(alice.post("one", to: "@bob") != nil)
        #expect(alice.post("two", to: "@bob") != nil)
        #expect(bob.outcome("conversation.leave", ["conversation": "@alice"]) == "ok")
        bob.forget()
        #expect(alice.post("three", to: "@bob") != nil)
        #expect(bob.events == ["added", "message"])
    }

    @Test func aConversationThatWasErasedIsNotWrittenTo() {
        let first = alice.post("one", to: "@bob")?.text("conversation")
        #expect(alice.post("two", to: "@bob") != nil)
        for (client, peer) in [(bob, "alice"), (alice, "bob")] {
            #expect(client.outcome("conversation.leave", ["conversation": "@\(peer)"]) == "ok")
        }
        let second = alice.post("three", to: "@bob")?.text("conversation")
        #expect(second != nil && second != first)
        #expect(bob.frames("message").last?.text("conversation") == second)
    }
}
