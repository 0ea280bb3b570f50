import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A command is judged by the changes under way, too, and no client gets a change before it is durable.
@Suite struct PipelineTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol", limits: .with { $0.membersMax = 4 })
        alice.forget()
        bob.forget()
        relay.holdsCommits = true
    }

    private func release() {
        relay.holdsCommits = false
        relay.settle()
    }

    @Test func aUserBeingAddedCanBeGivenARole() {
        alice.start("conversation.add", ["conversation": "\(group)", "users": ["dave"]], id: 1)
        alice.start("conversation.role", ["conversation": "\(group)", "user": "dave", "role": "admin"], id: 2)
        relay.settle()
        #expect(bob.frames.isEmpty)
        release()
        #expect(bob.events == ["added", "role"])
        #expect(alice.codes.isEmpty)
    }

    @Test func aMemberBeingRemovedCannotWriteAnyMore() {
        alice.start("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        bob.start("send", ["to": "\(group)", "key": "k", "body": "b"])
        #expect(alice.outcome("conversation.remove", ["conversation": "\(group)", "users": ["bob"]]) == "not_found")
        release()
        #expect(bob.events == ["removed"])
        #expect(bob.codes == ["not_found"])
    }

    @Test func aMemberBeingRemovedCanBeAddedAgain() {
        alice.start("conversation.remove", ["conversation": "\(group)", "users": ["bob"]], id: 1)
        alice.start("conversation.add", ["conversation": "\(group)", "users": ["bob"]], id: 2)
        bob.start("send", ["to": "\(group)", "key": "k", "body": "b"], id: 3)
        release()
        #expect(bob.events == ["removed", "added"])
        #expect(bob.frames("ok").first?.number("sequence") == 1)
    }

    @Test func aFormerOwnerCannotChangeRoles() {
        alice.start("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "owner"], id: 1)
        #expect(
            alice.outcome("conversation.role", ["conversation": "\(group)", "user": "carol", "role": "admin"])
                == "forbidden")
        bob.start("conversation.role", ["conversation": "\(group)", "user": "carol", "role": "admin"], id: 2)
        release()
        #expect(alice.events == ["role"])
        #expect(bob.frames("ok").count == 1)
    }

    @Test func twoAdditionsTogetherDoNotExceedTheLimit() {
        alice.start("conversation.add", ["conversation": "\(group)", "users": ["dave"]])
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["erin"]]) == "too_large")
        alice.start("conversation.remove", ["conversation": "\(group)", "users": ["carol"]])
        alice.start("conversation.add", ["conversation": "\(group)", "users": ["erin"]])
        release()
        let members = alice.request("conversation.members", ["conversation": "\(group)"])?.list("members") ?? []
        #expect(members.compactMap { $0.text("user") } == ["alice", "bob", "dave", "erin"])
    }

    @Test func whenAllLeaveAtOnceTheLastErases() {
        let carol = relay.connect("carol")
        relay.settle()
        for client in [alice, bob, carol] { client.start("conversation.leave", ["conversation": "\(group)"], id: 7) }
        release()
        for client in [alice, bob] { #expect(client.frames("ok").count == 1) }
        #expect(relay.relay.counters.conversations == 0)
    }

    @Test func heirsFollowEachOther() {
        alice.start("conversation.leave", ["conversation": "\(group)"])
        bob.start("conversation.leave", ["conversation": "\(group)"])
        release()
        #expect(relay.log.load().members.filter { $0.role == .owner }.count == 1)
        let carol = relay.connect("carol")
        #expect(carol.outcome("conversation.rename", ["conversation": "\(group)", "name": "Mine"]) == "ok")
    }
}
