import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A retry of a change is on its way to the log, and it isn't known yet that it will change nothing. Commands that
/// depend on it are refused for a short time.
@Suite struct UncertainChangeTests {
    let relay = RelayHarness()
    let alice: HarnessClient
    let bob: HarnessClient
    let group: String

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
        group = alice.makeGroup("bob", "carol")
    }

    private func removal(_ user: String, key: String) -> Members {
        ["conversation": "\(group)", "users": ["\(user)"], "key": "\(key)"]
    }

    /// Sends the command while the retry is held, and returns the reply to it. Then lets both settle.
    private func during(
        _ retry: (String, Members), _ client: HarnessClient, _ type: String, _ members: Members
    ) -> JSONValue? {
        relay.holdsCommits = true
        alice.start(retry.0, retry.1, id: 7)
        relay.settle()
        client.forget()
        client.start(type, members, id: 9)
        relay.settle()
        let atOnce = client.frames.first { $0.number("re") == 9 }
        relay.holdsCommits = false
        relay.settle()
        return atOnce ?? client.frames.first { $0.number("re") == 9 }
    }

    private func expectBusy(_ reply: JSONValue?) {
        #expect(reply?.text("code") == "busy")
        #expect(reply?.flag("retry") == true && reply?.number("retryAfter") ?? 0 > 0)
    }

    /// Bob was removed, and added again. Then the removal is sent again.
    private func bobIsBack() -> (String, Members) {
        let retry = ("conversation.remove", removal("bob", key: "k"))
        #expect(alice.outcome(retry.0, retry.1) == "ok")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["bob"]]) == "ok")
        return retry
    }

    @Test func aRetriedRemovalDoesNotSilenceAMember() {
        let retry = bobIsBack()
        let send: Members = ["to": "\(group)", "key": "b", "body": "b"]
        expectBusy(during(retry, bob, "send", send))
        #expect(bob.outcome("send", send) == "ok")
        #expect(alice.bodies == ["b"])
        // A command that looks for the conversation alone depends on it as well.
        for type in ["conversation.get", "conversation.members", "history"] {
            expectBusy(during(retry, bob, type, ["conversation": "\(group)"]))
            #expect(bob.outcome(type, ["conversation": "\(group)"]) == "ok")
        }
    }

    @Test func otherMembersAreNotKeptFromWriting() {
        let retry = bobIsBack()
        let carol = relay.connect("carol")
        #expect(during(retry, carol, "send", ["to": "\(group)", "key": "c", "body": "c"])?.text("type") == "ok")
    }

    @Test func changesOfTheSameMemberWaitForARetriedRemoval() {
        let retry = bobIsBack()
        let role: Members = ["conversation": "\(group)", "user": "bob", "role": "admin"]
        expectBusy(during(retry, alice, "conversation.role", role))
        expectBusy(during(retry, alice, "conversation.remove", ["conversation": "\(group)", "users": ["bob"]]))
        // Whether they store anything depends on the members.
        expectBusy(during(retry, alice, "conversation.add", ["conversation": "\(group)", "users": ["dave"]]))
        #expect(alice.outcome("conversation.role", role) == "ok")
    }

    /// By the retry alone no member would be left, and the conversation would be erased although Bob is a member.
    @Test func leavingBehindARetriedRemovalErasesNothing() {
        #expect(alice.outcome("conversation.remove", ["conversation": "\(group)", "users": ["carol"]]) == "ok")
        let retry = bobIsBack()
        let leave: Members = ["conversation": "\(group)"]
        expectBusy(during(retry, alice, "conversation.leave", leave))
        #expect(alice.outcome("conversation.leave", leave) == "ok")
        #expect(bob.outcome("send", ["to": "\(group)", "key": "b", "body": "b"]) == "ok")
    }

    @Test func aRetriedPromotionGivesNoRights() {
        let retry: (String, Members) = (
            "conversation.role", ["conversation": "\(group)", "user": "bob", "role": "admin", "key": "k"]
        )
        #expect(alice.outcome(retry.0, retry.1) == "ok")
        #expect(
            alice.outcome("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "member"]) == "ok")
        alice.post("a", to: group)
        let rename: Members = ["conversation": "\(group)", "name": "Bob's"]
        let delete: Members = ["conversation": "\(group)", "sequence": 1]
        expectBusy(during(retry, bob, "conversation.rename", rename))
        expectBusy(during(retry, bob, "delete", delete))
        #expect(bob.outcome("conversation.rename", rename) == "forbidden")
        #expect(bob.outcome("delete", delete) == "forbidden")
        // He is a member either way.
        #expect(during(retry, bob, "send", ["to": "\(group)", "key": "b", "body": "b"])?.text("type") == "ok")
    }

    /// The event of those who are added says what the group is called then.
    @Test func aRetriedNameIsNotTold() {
        let retry: (String, Members) = ("conversation.rename", ["conversation": "\(group)", "name": "A", "key": "k"])
        #expect(alice.outcome(retry.0, retry.1) == "ok")
        #expect(alice.outcome("conversation.rename", ["conversation": "\(group)", "name": "B"]) == "ok")
        let add: Members = ["conversation": "\(group)", "users": ["dave"]]
        let dave = relay.connect("dave")
        #expect(during(retry, alice, "conversation.add", add)?.text("type") == "ok")
        #expect(dave.frames("conversation").last?.text("name") == "B")
    }

    /// A direct conversation may go on although its last member seems to leave it.
    @Test func aRetriedEndDoesNotHideTheConversation() {
        let direct = alice.makeDirect("bob")
        let retry: (String, Members) = ("conversation.leave", ["conversation": "\(direct)", "key": "k"])
        #expect(alice.outcome(retry.0, retry.1) == "ok")
        alice.post("back", to: "@bob")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(direct)"]) == "ok")
        let send: Members = ["to": "\(direct)", "key": "b", "body": "b"]
        expectBusy(during(retry, bob, "send", send))
        #expect(bob.outcome("send", send) == "ok")
    }

    /// A change without a key can't be a retry.
    @Test func aChangeWithoutAKeyIsCertain() {
        let remove: Members = ["conversation": "\(group)", "users": ["bob"]]
        let send: Members = ["to": "\(group)", "key": "b", "body": "b"]
        #expect(during(("conversation.remove", remove), bob, "send", send)?.text("code") == "not_found")
        let rename: Members = ["conversation": "\(group)", "name": "C"]
        let add: Members = ["conversation": "\(group)", "users": ["dave"]]
        let dave = relay.connect("dave")
        #expect(during(("conversation.rename", rename), alice, "conversation.add", add)?.text("type") == "ok")
        #expect(dave.frames("conversation").last?.text("name") == "C")
    }
}
