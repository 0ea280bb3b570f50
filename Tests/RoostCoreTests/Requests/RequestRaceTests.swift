import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Requests while something else is under way, or after one of the two users has gone.
@Suite struct RequestRaceTests {
    let relay = RelayHarness.withRequests()
    let alice: HarnessClient
    let bob: HarnessClient

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
        bob.send(#"{"type":"profile.set","id":1,"name":"Bob B."}"#)
    }

    /// A sender who has left once got the receiver's presence and profile when the receiver acted on the request.
    @Test(arguments: ["leave", "react", "accept"])
    func aSenderWhoHasLeftIsToldNothing(what: String) {
        let direct = alice.post("hello", to: "@bob")?.text("conversation") ?? ""
        #expect(alice.outcome("conversation.leave", ["conversation": "\(direct)"]) == "ok")
        alice.forget()
        let outcome =
            switch what {
            case "leave": bob.outcome("conversation.leave", ["conversation": "\(direct)"])
            case "react": bob.outcome("react", ["conversation": "\(direct)", "sequence": 1, "reaction": "x"])
            default: bob.outcome("request.accept", ["conversation": "\(direct)"])
            }
        #expect(outcome == "ok")
        relay.pause()
        #expect(alice.frames.isEmpty)
        guard what != "leave" else { return }
        #expect(bob.post("return", to: "@alice")?.outcome == "ok")
        relay.pause()
        #expect(alice.frames("presence").count == 1)
        #expect(alice.frames("profile").map { $0.text("name") } == ["Bob B."])
    }

    /// A new contact may write at once, also before the log has the end of the request.
    @Test func aContactMayWriteAtOnce() {
        _ = alice.post("hello", to: "@bob")
        #expect(bob.outcome("contact.invite", ["user": "alice"]) == "ok")
        for client in [alice, bob] { client.forget() }
        relay.holdsCommits = true
        alice.start("contact.accept", ["user": "bob"], id: 1)
        alice.start("send", ["to": "@bob", "key": "at-once", "body": "again"], id: 2)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes.isEmpty)
        #expect(bob.frames("conversation").map { $0.text("event") } == ["accepted"])
        #expect(bob.frames("message").map { $0.text("body") } == ["again"])
    }

    /// So may the sender whose request is accepted.
    @Test func acceptedIsBeforeStored() {
        let direct = alice.post("hello", to: "@bob")?.text("conversation") ?? ""
        for client in [alice, bob] { client.forget() }
        relay.holdsCommits = true
        bob.start("request.accept", ["conversation": "\(direct)"], id: 1)
        alice.start("send", ["to": "@bob", "key": "at-once", "body": "again"], id: 2)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes.isEmpty && bob.codes.isEmpty)
        #expect(bob.frames("message").map { $0.text("body") } == ["again"])
    }

    /// A contact whose request didn't end could not write. So there is no contact while the log can't take that end.
    @Test func noContactWhileTheQueueIsFull() {
        let relay = RelayHarness.withRequests(limits: .with { $0.pendingEvents = 2 })
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        _ = alice.post("hello", to: "@bob")
        #expect(bob.outcome("contact.invite", ["user": "alice"]) == "ok")
        alice.forget()
        relay.holdsCommits = true
        for id in 1...2 { bob.start("state.set", ["key": "k\(id)", "value": 1], id: id) }
        alice.start("contact.accept", ["user": "bob"], id: 3)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes == ["busy"] && alice.frames("contact").isEmpty)
        #expect(alice.outcome("contact.accept", ["user": "bob"]) == "ok")
        #expect(alice.post("again", to: "@bob")?.outcome == "ok")
    }

    /// A repeated message to another stranger opens nothing. A user who wrote to its sender meanwhile came past the
    /// gate.
    @Test func aRepetitionOpensNoDoor() {
        relay.connect("carol").tell("bye")
        alice.start("send", ["to": "@carol", "key": "1", "body": "1"], id: 1)
        relay.settle()
        alice.forget()
        relay.holdsCommits = true
        alice.start("send", ["to": "@bob", "key": "1", "body": "1"], id: 2)
        bob.start("send", ["to": "@alice", "key": "2", "body": "2"], id: 3)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes == ["conflict"] && bob.codes == ["busy"])
        #expect(bob.post("2", to: "@alice")?.outcome == "ok")
        #expect(alice.frames("conversation").map { $0.flag("request") } == [true])
    }

    /// Two who write to each other at once: the second one answers, once it is known that the first has asked.
    @Test func bothMayWriteAtOnce() {
        relay.holdsCommits = true
        alice.start("send", ["to": "@bob", "key": "1", "body": "1"], id: 1)
        bob.start("send", ["to": "@alice", "key": "2", "body": "2"], id: 2)
        relay.holdsCommits = false
        relay.settle()
        #expect(bob.codes == ["busy"])
        #expect(bob.post("2", to: "@alice")?.outcome == "ok")
        #expect(alice.post("3", to: "@bob")?.outcome == "ok")
    }

    /// The receiver isn't shown who asks before that is stored.
    @Test func sendersAreNotShownBeforeARequestIsStored() {
        relay.holdsCommits = true
        bob.start("send", ["to": "@alice", "key": "1", "body": "1"], id: 2)
        #expect(alice.request("user.get", ["users": ["bob"]])?.list("profiles").first?["name"] == nil)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.request("user.get", ["users": ["bob"]])?.list("profiles").first?.text("name") == "Bob B.")
    }

    /// A message that is refused opened an empty conversation, in which its sender could say more.
    @Test func aRefusedMessageOpensNothing() {
        bob.forget()
        let mentions: Members = ["to": "@bob", "key": "1", "body": "1", "mentions": ["bob"]]
        #expect(alice.outcome("send", mentions) == "bad_request")
        #expect(bob.frames.isEmpty)
        #expect(alice.request("conversation.list")?.list("conversations").isEmpty == true)
    }

    /// Accepting says something to the other one, which an own block doesn't let through, and another's doesn't show.
    @Test func anOwnBlockKeepsFromAccepting() {
        let direct = alice.post("hello", to: "@bob")?.text("conversation") ?? ""
        #expect(bob.outcome("contact.block", ["users": ["alice"]]) == "ok")
        alice.forget()
        #expect(bob.outcome("request.accept", ["conversation": "\(direct)"]) == "blocked")
        #expect(bob.outcome("request.drop", ["conversation": "\(direct)"]) == "ok")
        #expect(alice.frames.isEmpty)
        #expect(bob.outcome("contact.unblock", ["users": ["alice"]]) == "ok")
        #expect(bob.outcome("request.accept", ["conversation": "\(direct)"]) == "ok")
    }

    @Test func aBlockedReceiverAcceptsAsEver() {
        let direct = alice.post("hello", to: "@bob")?.text("conversation") ?? ""
        #expect(alice.outcome("contact.block", ["users": ["bob"]]) == "ok")
        alice.forget()
        #expect(bob.outcome("request.accept", ["conversation": "\(direct)"]) == "ok")
        #expect(alice.frames.isEmpty)
    }

    /// A user who has sent a request isn't worse off than others when the two come to know each other in another way.
    @Test(arguments: ["waits", "dropped", "blocked"])
    func aRequestsSenderMayWriteOnceTheTwoShareAGroup(state: String) {
        var rules = relay.relay.rules
        rules.gate.countsSharedGroups = true
        relay.relay.rules = rules
        let carol = relay.connect("carol")
        for client in [alice, bob] {
            _ = carol.request("contact.invite", ["user": "\(client === alice ? "alice" : "bob")"])
            _ = client.request("contact.accept", ["user": "carol"])
        }
        let direct = alice.post("hello", to: "@bob")?.text("conversation") ?? ""
        if state == "dropped" { #expect(bob.outcome("request.drop", ["conversation": "\(direct)"]) == "ok") }
        if state == "blocked" { #expect(bob.outcome("contact.block", ["users": ["alice"]]) == "ok") }
        #expect(alice.post("more", to: "@bob")?.outcome == "no_relationship")
        #expect(carol.makeGroup("alice", "bob") != "none")
        alice.forget()
        bob.forget()
        let tablet = relay.connect("alice", "tablet")
        tablet.forget()
        #expect(alice.post("more", to: "@bob")?.number("sequence") == 2)
        #expect(tablet.events == ["accepted", "message"])
        #expect(alice.outcome("react", ["conversation": "@bob", "sequence": 1, "reaction": "x"]) == "ok")
        #expect(alice.request("conversation.get", ["conversation": "@bob"])?["conversation"]?["request"] == nil)
        #expect(bob.bodies == (state == "blocked" ? [] : ["more"]))
    }
}
