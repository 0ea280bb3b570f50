import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `edit`, `delete`, `react`: who may do it, and what the others get.
@Suite struct MessageChangeTests {
    let relay: RelayHarness
    let alice, bob, carol: HarnessClient
    let group: String

    /// Alice owns the group, Bob wrote message 1, Carol is a member.
    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol")
        carol = relay.connect("carol")
        bob.post("one", to: group)
        for client in [alice, bob, carol] { client.forget() }
    }

    private func change(_ type: String, by client: HarnessClient, _ more: (String, Value)...) -> JSONValue? {
        let extra = more.map { ",\"\($0.0)\":\($0.1.json)" }.joined()
        return client.ask(#"{"type":"\#(type)","id":1,"conversation":"\#(group)","sequence":1\#(extra)}"#)
    }

    private func history(_ client: HarnessClient) -> JSONValue? {
        client.request("history", ["conversation": "\(group)"])?.list("messages").first
    }

    @Test func theAuthorMayEdit() {
        let reply = change("edit", by: bob, ("body", "new"))
        let event = carol.frames("edit").first
        #expect(event?.text("position") == reply?.text("position"))
        #expect(event?.number("sequence") == 1)
        #expect(event?.text("from") == "bob")
        #expect(event?["kind"] == nil)
        #expect(event?.text("body") == "new")
        #expect(history(carol)?.text("body") == "new")
        #expect(history(carol)?.number("editedAt") == reply?.number("time"))
        #expect(bob.frames("edit").isEmpty)
    }

    @Test func nobodyElseMayEdit() {
        #expect(change("edit", by: alice, ("body", "new"))?.text("code") == "forbidden")
        #expect(change("edit", by: carol, ("body", "new"))?.text("code") == "forbidden")
        #expect(history(carol)?.text("body") == "one")
    }

    @Test func aTextStaysAText() {
        #expect(change("edit", by: bob, ("body", 7))?.text("code") == "bad_request")
        #expect(change("edit", by: bob, ("body", "  "))?.text("code") == "bad_request")
        let long = change("edit", by: bob, ("body", Value(json: "\"" + String(repeating: "a", count: 20_001) + "\"")))
        #expect(long?.text("code") == "too_large")
        #expect(long?.text("reason")?.contains("20000") == true)
    }

    @Test func theAuthorMayDelete() {
        let reply = change("delete", by: bob)
        #expect(carol.frames("delete").first?.text("position") == reply?.text("position"))
        #expect(carol.frames("delete").first?["body"] == nil)
        #expect(history(carol)?["body"] == nil)
        #expect(history(carol)?.number("deletedAt") == reply?.number("time"))
    }

    @Test func theOwnerAndAdminsMayDelete() {
        #expect(change("delete", by: carol)?.text("code") == "forbidden")
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "carol", "role": "admin"])
        #expect(change("delete", by: carol)?.text("type") == "ok")
        bob.post("two", to: group)
        #expect(alice.outcome("delete", ["conversation": "\(group)", "sequence": 2]) == "ok")
    }

    @Test func inADirectConversationOnlyTheAuthorMayDelete() {
        bob.post("direct", to: "@alice")
        #expect(alice.outcome("delete", ["conversation": "@bob", "sequence": 1]) == "forbidden")
        #expect(bob.outcome("delete", ["conversation": "@alice", "sequence": 1]) == "ok")
    }

    @Test func deletingTwiceChangesNothing() {
        _ = change("delete", by: bob)
        let reply = change("delete", by: bob)
        #expect(reply?.flag("duplicate") == true)
        #expect(reply?["position"] == nil)
        #expect(carol.events == ["delete"])
    }

    @Test func changingADeletedMessageGetsGone() {
        _ = change("delete", by: bob)
        #expect(change("edit", by: bob, ("body", "new"))?.text("code") == "gone")
        #expect(change("react", by: bob, ("reaction", "👍"))?.text("code") == "gone")
    }

    @Test func everyMemberMayReactOnce() {
        _ = change("react", by: carol, ("reaction", "👍"))
        let again = change("react", by: carol, ("reaction", "👍"))
        #expect(again?.flag("duplicate") == true)
        #expect(again?["position"] == nil)
        #expect(bob.frames("react").map { $0.text("reaction") } == ["👍"])
        _ = change("react", by: bob, ("reaction", "👍"))
        let reactions = history(bob)?.list("reactions") ?? []
        #expect(reactions.map { $0.number("count") } == [2])
        #expect(reactions.first?.flag("mine") == true)
        #expect(history(alice)?.list("reactions").first?.flag("mine") == false)
    }

    @Test func aReactionCanBeTakenBackOnce() {
        _ = change("react", by: carol, ("reaction", "👍"))
        _ = change("react", by: carol, ("reaction", "👍"), ("remove", true))
        #expect(change("react", by: carol, ("reaction", "👍"), ("remove", true))?.flag("duplicate") == true)
        #expect(bob.frames("react").map { $0.flag("removed") } == [nil, true])
        #expect(history(bob)?["reactions"] == nil)
    }

    @Test func aUserGivesAMessageTwentyDifferentReactionsAndNoMore() {
        for number in 1...20 {
            #expect(change("react", by: carol, ("reaction", "r\(number)"))?.text("type") == "ok")
        }
        #expect(change("react", by: carol, ("reaction", "r21"))?.text("code") == "too_large")
        _ = change("react", by: carol, ("reaction", "r1"), ("remove", true))
        #expect(change("react", by: carol, ("reaction", "r21"))?.text("type") == "ok")
    }

    @Test func reactionsThatDifferByASelectorAreOne() {
        _ = change("react", by: carol, ("reaction", "\u{2764}"))
        #expect(bob.frames("react").map { $0.text("reaction") } == ["\u{2764}\u{FE0F}"])
        _ = change("react", by: bob, ("reaction", "\u{2764}\u{FE0F}"))
        let reactions = history(bob)?.list("reactions") ?? []
        #expect(reactions.map { $0.number("count") } == [2])
        #expect(change("react", by: carol, ("reaction", "\u{2764}\u{FE0F}"))?.flag("duplicate") == true)
        _ = change("react", by: carol, ("reaction", "\u{2764}\u{FE0F}"), ("remove", true))
        _ = change("react", by: bob, ("reaction", "\u{2764}"), ("remove", true))
        #expect(history(bob)?["reactions"] == nil)
        // Kept with six bytes each, it would be too long to be taken back.
        let long = Value(json: "\"" + String(repeating: "\u{2764}", count: 6) + "\"")
        #expect(change("react", by: bob, ("reaction", long))?.text("code") == "bad_request")
    }

    @Test(arguments: ["edit", "delete", "react"])
    func aMissingNameIsNotFound(type: String) {
        let members: Members = ["conversation": "\(group)", "sequence": 2, "body": "b", "reaction": "x"]
        #expect(bob.outcome(type, members) == "not_found")
        let dave = relay.connect("dave")
        let first: Members = ["conversation": "\(group)", "sequence": 1, "body": "b", "reaction": "x"]
        #expect(dave.outcome(type, first) == "not_found")
    }

    @Test func nothingIsToldBeforeAChangeIsDurable() {
        relay.holdsCommits = true
        for type in ["edit", "react", "delete"] {
            bob.start(type, ["conversation": "\(group)", "sequence": 1, "body": "b", "reaction": "x"])
        }
        relay.settle()
        #expect(bob.frames.isEmpty && carol.frames.isEmpty)
        relay.holdsCommits = false
        relay.settle()
        #expect(carol.events == ["edit", "react", "delete"])
        #expect(bob.frames("ok").count == 3)
    }

    @Test func aReturningDeviceGetsTheMessageAsItIsNow() {
        carol.drop()
        _ = change("edit", by: bob, ("body", "new"))
        bob.post("two", to: group)
        _ = bob.request("delete", ["conversation": "\(group)", "sequence": 2])
        let back = relay.connect("carol", resume: "memory-0")
        let messages = back.frames("message")
        #expect(messages.map { $0.text("body") } == ["new", nil])
        #expect(messages.first?["editedAt"] != nil)
        #expect(messages.last?["deletedAt"] != nil)
        #expect(back.events == ["created", "message", "edit", "message", "delete"])
    }
}
