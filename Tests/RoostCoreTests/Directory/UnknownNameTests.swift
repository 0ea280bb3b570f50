import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Where unknown names are refused, a typo makes no user, and a username is an address.
@Suite struct UnknownNameTests {
    private func strict(gate: String = "off", requests: Bool = false) -> RelayHarness {
        var rules = PolicyRules()
        rules.unknown = .refuse
        rules.gate = GateRules(GateRules.Mode(gate) ?? .on)
        rules.gate.takesRequests = requests
        return RelayHarness(rules: rules)
    }

    private func mill(at relay: RelayHarness) -> HarnessClient {
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        return client
    }

    /// The outcome of each command that names a user.
    private func outcomes(_ client: HarnessClient, _ user: String, _ group: String) -> [String] {
        [
            client.outcome("send", ["to": "@\(user)", "key": "k-\(user)", "body": "x"]),
            client.outcome("conversation.create", ["kind": "direct", "members": ["\(user)"]]),
            client.outcome("conversation.create", ["kind": "group", "name": "G", "members": ["\(user)"], "key": "g"]),
            client.outcome("conversation.add", ["conversation": "\(group)", "users": ["\(user)"]]),
            client.outcome("contact.invite", ["user": "\(user)"]),
            client.outcome("contact.block", ["users": ["\(user)"]]),
            client.outcome("except", ["users": ["\(user)"], "as": "always"]),
            client.outcome("watch", ["users": ["\(user)"]]),
        ]
    }

    @Test func unknownNamesMakeNobody() {
        let relay = strict()
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        let users = relay.log.load().users.count
        #expect(outcomes(alice, "bem", group).allSatisfy { $0 == "not_found" })
        // A report of an unknown name is answered like any other, because it doesn't reach any user.
        #expect(alice.outcome("contact.report", ["user": "bem", "reason": "spam"]) == "ok")
        #expect(mill(at: relay).outcome("send", ["as": "bem", "to": "@alice", "key": "k", "body": "x"]) == "not_found")
        #expect(mill(at: relay).outcome("admin.revoke", ["user": "bem"]) == "not_found")
        #expect(relay.log.load().users.count == users)
        // The refused command has used no key.
        _ = relay.connect("bem")
        #expect(alice.outcome("send", ["to": "@bem", "key": "k-bem", "body": "x"]) == "ok")
    }

    @Test func operatorsMayRevokeANameThatNobodyHas() {
        let relay = strict()
        let mill = mill(at: relay)
        #expect(mill.outcome("admin.revoke", ["user": "late", "unknown": true]) == "ok")
        // Others don't learn by that that there is such a user.
        #expect(relay.connect("alice").outcome("send", ["to": "@late", "key": "k", "body": "x"]) == "not_found")
    }

    @Test func usersWithAnAccountCanBeNamedAlsoAfterACrash() {
        let relay = strict()
        // Nothing but that there is such an account.
        #expect(mill(at: relay).outcome("admin.profile", ["user": "bob", "deleted": false]) == "ok")
        relay.crash()
        let alice = relay.connect("alice")
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "x"]) == "ok")
        #expect(alice.outcome("contact.block", ["users": ["bob"]]) == "ok")
    }

    @Test(arguments: [false, true]) func aClosedGateAnswersUnknownNamesLikeStrangers(isRefused: Bool) {
        let relay = strict(gate: "on")
        if !isRefused { relay.relay.rules.unknown = .allow }
        let (alice, _) = (relay.connect("alice"), relay.connect("eve"))
        let group = alice.makeGroup()
        let (ghost, eve) = (outcomes(alice, "ghost", group), outcomes(alice, "eve", group))
        // Invitations and blocks don't pass the gate.
        #expect(ghost[0...3] == eve[0...3] && ghost[7] == eve[7])
        #expect(ghost[0] == "no_relationship")
    }

    @Test func requestsToNobodyAreRefused() {
        let relay = strict(gate: "on", requests: true)
        let (alice, _) = (relay.connect("alice"), relay.connect("eve"))
        #expect(alice.outcome("send", ["to": "@ghost", "key": "k1", "body": "x"]) == "not_found")
        #expect(alice.outcome("send", ["to": "@eve", "key": "k2", "body": "x"]) == "ok")
    }

    @Test func whatSomebodyElseHasNamedStaysUnknown() {
        let relay = strict()
        relay.relay.rules.unknown = .allow
        let bob = relay.connect("bob")
        #expect(bob.outcome("contact.block", ["users": ["ghost"]]) == "ok")
        #expect(bob.outcome("contact.invite", ["user": "wraith"]) == "ok")
        relay.relay.rules.unknown = .refuse
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        #expect(outcomes(alice, "ghost", group).allSatisfy { $0 == "not_found" })
        #expect(outcomes(alice, "wraith", group).allSatisfy { $0 == "not_found" })
        #expect(bob.outcome("contact.unblock", ["users": ["ghost"]]) == "ok")
        #expect(bob.outcome("contact.remove", ["user": "wraith"]) == "ok")
        let names = relay.log.load().users.map(\.name)
        #expect(!names.contains("ghost") && !names.contains("wraith"))
    }

    // MARK: Usernames

    private func named(_ client: HarnessClient, _ username: String) {
        _ = client.request("profile.set", ["name": "Somebody", "username": "\(username)"])
    }

    @Test(arguments: ["refuse", "allow"]) func aUsernameLeadsToItsUser(unknown: String) {
        let relay = strict()
        relay.relay.rules.unknown = PolicyRules.Unknown(rawValue: unknown) ?? .refuse
        let (alice, u1) = (relay.connect("alice"), relay.connect("u1"))
        named(u1, "ben")
        let group = alice.makeGroup()
        let sent = alice.request("send", ["to": "@Ben", "key": "k", "body": "x"])
        #expect(sent?.outcome == "ok" && u1.frames("message").count == 1)
        let byID = alice.request("send", ["to": "@u1", "key": "k2", "body": "x"])
        #expect(byID?.text("conversation") == sent?.text("conversation"))
        #expect(alice.request("history", ["conversation": "@ben"])?.text("conversation") == sent?.text("conversation"))
        #expect(alice.request("watch", ["users": ["ben"]])?["users"]?.elements?.first?.text("user") == "u1")
        #expect(alice.request("user.get", ["users": ["ben"]])?["profiles"]?.elements?.first?.text("user") == "u1")
        let added = alice.request("conversation.add", ["conversation": "\(group)", "users": ["ben"]])
        #expect(added?["users"]?.elements?.first?.string == "u1")
        let role: Members = ["conversation": "\(group)", "user": "ben", "role": "admin"]
        #expect(alice.outcome("conversation.role", role) == "ok")
        let mention: Members = ["to": "\(group)", "key": "m", "body": "x", "mentions": ["ben", "u1"]]
        _ = alice.request("send", mention)
        #expect(u1.frames("message").last?["mentions"]?.elements?.compactMap(\.string) == ["u1"])
        #expect(alice.request("send", mention)?.flag("duplicate") == true)
        #expect(alice.outcome("conversation.remove", ["conversation": "\(group)", "users": ["ben"]]) == "ok")
        #expect(alice.request("contact.invite", ["user": "ben"])?["contact"]?.text("user") == "u1")
        #expect(alice.outcome("contact.block", ["users": ["ben"]]) == "ok")
        #expect(alice.outcome("send", ["to": "@ben", "key": "k3", "body": "x"]) == "blocked")
        #expect(alice.outcome("contact.unblock", ["users": ["ben"]]) == "ok")
        #expect(relay.log.load().users.count == 2)
    }

    @Test func anIdComesBeforeAUsername() {
        let relay = strict()
        let (alice, ben, eve) = (relay.connect("alice"), relay.connect("ben"), relay.connect("eve"))
        // A username can't be another user's id: it would lead to that user.
        #expect(eve.outcome("profile.set", ["name": "Eve", "username": "ben"]) == "username_taken")
        named(eve, "zoe")
        #expect(alice.outcome("send", ["to": "@zoe", "key": "k1", "body": "x"]) == "ok")
        #expect(eve.frames("message").count == 1)
        // A user comes whose id it is.
        let zoe = relay.connect("zoe")
        #expect(alice.outcome("send", ["to": "@zoe", "key": "k2", "body": "x"]) == "ok")
        #expect(zoe.frames("message").count == 1 && eve.frames("message").count == 1)
        #expect(ben.frames("message").isEmpty)
    }

    @Test func aUsernameThatChangesHandsLeadsToTheNewUserAndMovesNoConversation() {
        let relay = strict()
        let (alice, u1, u2) = (relay.connect("alice"), relay.connect("u1"), relay.connect("u2"))
        named(u1, "ben")
        let first = alice.request("send", ["to": "@ben", "key": "k1", "body": "x"])?.text("conversation")
        named(u1, "benedict")
        #expect(alice.outcome("send", ["to": "@ben", "key": "k2", "body": "x"]) == "not_found")
        named(u2, "ben")
        let second = alice.request("send", ["to": "@ben", "key": "k3", "body": "x"])?.text("conversation")
        #expect(first != nil && second != nil && first != second)
        #expect(alice.outcome("send", ["to": "\(first ?? "")", "key": "k4", "body": "x"]) == "ok")
        #expect(u1.frames("message").count == 2 && u2.frames("message").count == 1)
    }

    @Test func aHiddenUserStaysHiddenBehindTheUsername() {
        let relay = strict()
        let (alice, u1) = (relay.connect("alice"), relay.connect("u1"))
        named(u1, "ben")
        // They share nothing, and the directory is closed.
        #expect(alice.request("user.get", ["users": ["ben"]])?["profiles"]?.elements?.first?.text("user") == "ben")
        #expect(alice.request("user.find", ["prefix": "ben"])?["profiles"]?.elements?.isEmpty == true)
    }

    @Test func servicesActByIdAlone() {
        let relay = strict()
        let u1 = relay.connect("u1")
        _ = relay.connect("alice")
        named(u1, "ben")
        #expect(mill(at: relay).outcome("send", ["as": "ben", "to": "@alice", "key": "k", "body": "x"]) == "not_found")
    }
}
