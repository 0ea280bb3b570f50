import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Users that come into being by being named, and the users that they count against.
@Suite struct NamingTests {
    private func create(_ client: HarnessClient, _ members: Value, key: String? = nil) -> String {
        guard let key else {
            return client.outcome("conversation.create", ["kind": "group", "name": "G", "members": members])
        }
        return client.outcome(
            "conversation.create", ["kind": "group", "name": "G", "members": members, "key": "\(key)"])
    }

    private func users(_ relay: RelayHarness) -> [String] { relay.relay.directory.everybody.map(\.name) }

    // MARK: How many

    /// However often the user connects again, and on whatever device.
    @Test func aUserNamesABoundedNumberOfUnknownUsersInAnHour() {
        let relay = RelayHarness(limits: .with { $0.introductionsPerHour = 3 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("a", "b", "c")
        alice.drop()
        let tablet = relay.connect("alice", "tablet")
        let refused = tablet.request("conversation.add", ["conversation": "\(group)", "users": ["d", "a"]])
        #expect(refused?.text("code") == "rate_limited")
        #expect(refused?.number("retryAfter") == 1_200_000)
        #expect(tablet.post("k", to: "@d")?.text("code") == "rate_limited")
        #expect(create(tablet, ["d"]) == "rate_limited")
        #expect(tablet.outcome("conversation.create", ["kind": "direct", "members": ["d"]]) == "rate_limited")
        #expect(users(relay) == ["alice", "a", "b", "c"])
        // Known ones may be named, and others have their own bound.
        #expect(tablet.post("k", to: "@c")?.outcome == "ok")
        #expect(relay.connect("bob").post("k", to: "@d")?.outcome == "ok")
        relay.advance(1_200_000)
        let again = relay.connect("alice")
        #expect(create(again, ["e", "f"]) == "rate_limited")
        #expect(create(again, ["e"]) == "ok")
    }

    @Test func aUserPutsABoundedNumberOfUsersIntoConversationsInAnHour() {
        let relay = RelayHarness(limits: .with { $0.additionsPerHour = 4 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("a", "b")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["a", "c", "d"]]) == "ok")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["e"]]) == "rate_limited")
        #expect(create(alice, ["a"]) == "rate_limited")
        #expect(create(alice, []) == "ok")
        #expect(alice.post("k", to: "@a")?.text("code") == "rate_limited")
        #expect(alice.post("k2", to: group)?.outcome == "ok")
    }

    // MARK: Nothing is made for a refused command

    @Test func aRefusedCommandMakesNobody() {
        let relay = RelayHarness(
            limits: .with {
                $0.membersMax = 3
                $0.conversationsPerUser = 1
            })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        // Too many members, too many conversations, a message that isn't there, no role.
        #expect(create(alice, ["x1", "x2", "x3"]) == "too_large")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["x1", "x2"]]) == "too_large")
        #expect(create(alice, ["x1"], key: "k") == "too_large")
        #expect(alice.post("k", to: "@x1")?.text("code") == "too_large")
        #expect(alice.outcome("send", ["to": "@x1", "key": "k3", "body": "b", "replyTo": 1]) == "not_found")
        let bob = relay.connect("bob")
        #expect(bob.outcome("conversation.add", ["conversation": "\(group)", "users": ["x1"]]) == "forbidden")
        #expect(bob.outcome("conversation.add", ["conversation": "none", "users": ["x1"]]) == "not_found")
        #expect(bob.outcome("watch", ["users": ["x1"]]) == "forbidden")
        #expect(users(relay) == ["alice", "bob"])
        #expect(relay.log.load().users.map(\.name) == ["alice", "bob"])
    }

    /// The log finds that the key was used, after the user was made.
    @Test func usersMadeForAnUnstoredCommandAreForgotten() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        #expect(alice.post("k", to: "@bob")?.outcome == "ok")
        #expect(alice.post("k", to: "@x1")?.text("code") == "conflict")
        #expect(create(alice, ["x2"], key: "k") == "conflict")
        #expect(users(relay) == ["alice", "bob"])
        #expect(relay.log.load().users.map(\.name) == ["alice", "bob"])
        // The names may be used as if nothing had been.
        #expect(alice.post("k2", to: "@x1")?.outcome == "ok")
        #expect(relay.connect("x1").frames("message").count == 1)
    }

    // MARK: Nobodies

    @Test func usersWhoNeverCameAndAreInNoConversationAreForgotten() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        _ = relay.connect("carol")
        let group = alice.makeGroup("bob", "carol")
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob", "carol"]])
        // Devices that he may still get must receive the group.
        #expect(users(relay) == ["alice", "carol", "bob"])
        _ = alice.request("conversation.leave", ["conversation": "\(group)"])
        #expect(users(relay) == ["alice", "carol"])
        relay.settle()
        #expect(relay.log.load().users.map(\.name) == ["alice", "carol"])
        #expect(relay.relay.counters.users == 2)
        #expect(alice.makeGroup("bob") != "none")
        #expect(users(relay).last == "bob")
    }

    @Test func usersInAnotherConversationAreKept() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        alice.post("k", to: "@bob")
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        _ = alice.request("conversation.leave", ["conversation": "\(group)"])
        #expect(users(relay) == ["alice", "bob"])
    }

    /// The state is that after a crash between two batches.
    @Test func nobodiesAreForgottenAtTheStart() {
        let log = MemoryLog()
        _ = log.commit([
            .user(UserNumber(1), name: "nobody"), .user(UserNumber(2), name: "alice"),
            .device(DeviceNumber(1), user: UserNumber(2), name: "phone", cursor: .start),
        ])
        let relay = RelayHarness(log: log)
        #expect(users(relay) == ["alice"])
        #expect(log.load().users.map(\.name) == ["alice"])
    }

    // MARK: Charging

    @Test func conversationsOpenedByOthersDoNotLockAUserOut() {
        let relay = RelayHarness(
            limits: .with {
                $0.conversationsPerUser = 2
                $0.unansweredPerUser = 3
            })
        let mallory = relay.connect("mallory")
        let victim = relay.connect("victim")
        let codes = (0..<4).map { _ in
            let code = create(mallory, ["victim"])
            let groups = mallory.request("conversation.list")?.list("conversations") ?? []
            for one in groups {
                _ = mallory.request("conversation.leave", ["conversation": "\(one.text("conversation") ?? "")"])
            }
            return code
        }
        #expect(codes == ["ok", "ok", "ok", "too_large"])
        // Reconnecting and a restart change nothing.
        relay.pause()
        relay.crash()
        #expect(create(relay.connect("mallory"), ["victim"]) == "too_large")
        let again = relay.connect("victim")
        #expect(again.request("conversation.list")?.list("conversations").count == 3)
        #expect(create(again, []) == "ok")
        #expect(again.post("k", to: "@newcomer")?.outcome == "ok")
        #expect(relay.connect("other").post("k", to: "@victim")?.outcome == "ok")
        #expect(victim.closeCode == nil)
    }

    @Test(arguments: [false, true])
    func anAnsweredConversationNoLongerCountsAgainstItsOpener(isRestarted: Bool) {
        let relay = RelayHarness(limits: .with { $0.unansweredPerUser = 1 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        #expect(create(alice, []) == "too_large")
        let bob = relay.connect("bob")
        // Reading, typing and leaving are no answers.
        alice.post("k", to: group)
        #expect(bob.outcome("read", ["conversation": "\(group)", "sequence": 1]) == "ok")
        #expect(bob.outcome("typing", ["to": "\(group)"]) == "ok")
        #expect(create(alice, []) == "too_large")
        #expect(bob.outcome("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"]) == "ok")
        relay.pause()
        if isRestarted { relay.crash() }
        #expect(create(isRestarted ? relay.connect("alice") : alice, []) == "ok")
    }

    @Test func leavingIsNoAnswer() {
        let relay = RelayHarness(limits: .with { $0.unansweredPerUser = 1 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob", "carol")
        #expect(relay.connect("bob").outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(create(alice, []) == "too_large")
    }

    @Test(arguments: [false, true])
    func answeredConversationsCountAgainstTheUser(isRestarted: Bool) {
        let relay = RelayHarness(limits: .with { $0.conversationsPerUser = 1 })
        let group = relay.connect("alice").makeGroup("bob")
        var bob = relay.connect("bob")
        bob.post("k", to: group)
        relay.pause()
        if isRestarted {
            relay.crash()
            bob = relay.connect("bob")
        }
        #expect(create(bob, []) == "too_large")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(create(bob, []) == "ok")
    }

    @Test func anErasedConversationCountsAgainstNobody() {
        let relay = RelayHarness(limits: .with { $0.unansweredPerUser = 1 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        #expect(create(alice, []) == "too_large")
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(create(alice, []) == "ok")
    }

    /// Only groups by strangers are refused, and neither the victim's own commands nor anybody's message.
    @Test func aUserInManyConversationsIsAddedOnlyByThoseItWroteTo() {
        let relay = RelayHarness(limits: .with { $0.membershipsPerUser = 2 })
        let victim = relay.connect("victim")
        let friend = relay.connect("friend")
        friend.post("k", to: "@victim")
        for name in ["one", "two"] {
            #expect(create(relay.connect(name), ["victim"]) == (name == "one" ? "ok" : "too_large"))
        }
        let stranger = relay.connect("stranger")
        let group = stranger.makeGroup()
        let add: Members = ["conversation": "\(group)", "users": ["victim"]]
        #expect(stranger.outcome("conversation.add", add) == "too_large")
        #expect(stranger.post("k", to: "@victim")?.outcome == "ok")
        // A message to the victim is not enough.
        #expect(stranger.outcome("conversation.add", add) == "too_large")
        #expect(create(friend, ["victim"]) == "too_large")
        victim.post("k", to: "@friend")
        #expect(create(friend, ["victim"]) == "ok")
        #expect(create(victim, []) == "ok")
        #expect(victim.post("k2", to: "@stranger")?.outcome == "ok")
    }
}
