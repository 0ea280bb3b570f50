import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

extension RelayHarness {
    /// A relay with a gate in this mode.
    static func withGate(_ mode: String, sharedGroups: Bool = true, limits: Limits = Limits()) -> RelayHarness {
        var rules = PolicyRules()
        rules.gate = GateRules(GateRules.Mode(mode) ?? .on)
        rules.gate.countsSharedGroups = sharedGroups
        return RelayHarness(limits: limits, rules: rules)
    }

    /// The operator changes the gate while the relay runs.
    func setGate(_ mode: String, sharedGroups: Bool = true) {
        relay.rules.gate.mode = GateRules.Mode(mode) ?? .on
        relay.rules.gate.countsSharedGroups = sharedGroups
    }

    /// The two are contacts from now on.
    func acquaint(_ one: HarnessClient, _ other: HarnessClient) {
        _ = one.contact("invite", other.session.userName ?? "")
        _ = other.contact("accept", one.session.userName ?? "")
    }

    /// Number of commands that the gate refused, and that it would have refused.
    var refused: [Int] { relay.counters.gate.refused }
    var logged: [Int] { relay.counters.gate.logged }
}

extension Policy {
    /// The defaults with a gate in this mode.
    fileprivate init(gate mode: GateRules.Mode) {
        var rules = PolicyRules()
        rules.gate = GateRules(mode)
        self.init(rules)
    }
}

/// The gate: when it is on, users can only reach users that they know.
@Suite struct GateTests {
    /// Each way to reach a user, with the outcome.
    private func deeds(_ client: HarnessClient, _ user: String, _ group: String) -> [String] {
        [
            client.outcome("conversation.create", ["kind": "direct", "members": ["\(user)"]]),
            client.outcome("send", ["to": "@\(user)", "key": "k-\(user)", "body": "x"]),
            client.outcome("conversation.create", ["kind": "group", "name": "G", "members": ["\(user)"]]),
            client.outcome("conversation.add", ["conversation": "\(group)", "users": ["\(user)"]]),
        ]
    }

    @Test func strangersCannotReachEachOther() {
        let relay = RelayHarness.withGate("on")
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup()
        bob.send(#"{"type":"privacy","id":1,"presence":"everyone"}"#)
        bob.forget()
        let no = "no_relationship"
        #expect(deeds(alice, "bob", group) == [no, no, no, no])
        #expect(alice.outcome("watch", ["users": ["bob"]]) == no)
        relay.pause()
        #expect(bob.frames.isEmpty)
        // An unknown name is like any other stranger, and makes no user.
        #expect(deeds(alice, "nobody", group) == [no, no, no, no])
        relay.pause()
        #expect(relay.log.load().users.map(\.name) == ["alice", "bob"])
        #expect(relay.log.load().conversations.count == 1)
        #expect(relay.refused == [4, 4, 1] && relay.logged == [0, 0, 0])
        let error = alice.request("send", ["to": "@bob", "key": "k", "body": "x"])
        #expect(error?.flag("retry") == false && error?["retryAfter"] == nil)
    }

    @Test func contactsCanAndMayWatchEachOther() {
        let relay = RelayHarness.withGate("on", sharedGroups: false)
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup()
        #expect(alice.contact("invite", "bob") == "ok")
        // An invitation alone opens nothing, on neither side.
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "x"]) == "no_relationship")
        #expect(bob.outcome("send", ["to": "@alice", "key": "k", "body": "x"]) == "no_relationship")
        #expect(bob.contact("accept", "alice") == "ok")
        #expect(alice.outcome("watch", ["users": ["bob"]]) == "ok")
        #expect(deeds(alice, "bob", group) == ["ok", "ok", "ok", "ok"])
        #expect(relay.refused == [2, 0, 0])
    }

    @Test func membersOfAGroupKnowEachOther() {
        let relay = RelayHarness()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        _ = relay.connect("carol").makeGroup("alice", "bob")
        let group = alice.makeGroup()
        relay.setGate("on", sharedGroups: false)
        let no = "no_relationship"
        #expect(deeds(alice, "bob", group) == [no, no, no, no])
        #expect(alice.outcome("watch", ["users": ["bob"]]) == no)
        relay.setGate("on")
        #expect(alice.outcome("watch", ["users": ["bob"]]) == "ok")
        #expect(deeds(bob, "alice", bob.makeGroup()) == ["ok", "ok", "ok", "ok"])
    }

    /// Adding a user to a group makes that user no acquaintance of its members.
    @Test func aGroupIsSharedByItsMembersOnly() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        _ = relay.connect("bob")
        let group = alice.makeGroup("bob")
        relay.setGate("on")
        #expect(alice.outcome("conversation.remove", ["conversation": "\(group)", "users": ["bob"]]) == "ok")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["bob"]]) == "no_relationship")
    }

    @Test func conversationsThatExistedStay() {
        let relay = RelayHarness()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let direct = alice.makeDirect("bob")
        relay.setGate("on")
        #expect(alice.outcome("send", ["to": "\(direct)", "key": "k1", "body": "x"]) == "ok")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(direct)"]) == "ok")
        // Also if one has left, and after a restart.
        #expect(alice.outcome("send", ["to": "@bob", "key": "k2", "body": "x"]) == "ok")
        relay.crash()
        relay.setGate("on")
        #expect(relay.connect("bob").outcome("send", ["to": "@alice", "key": "k3", "body": "x"]) == "ok")
        #expect(relay.connect("alice").outcome("watch", ["users": ["bob"]]) == "ok")
    }

    /// A message sent before the gate closed has its first answer; a refused one has none.
    @Test func aRetryIsAnsweredAsBefore() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let members: Members = ["kind": "group", "name": "G", "members": ["bob"], "key": "g"]
        #expect(alice.outcome("conversation.create", members) == "ok")
        relay.setGate("on", sharedGroups: false)
        let again = alice.request("conversation.create", members)
        #expect(again?.outcome == "ok" && again?.flag("duplicate") == true)
        let other: Members = ["kind": "group", "name": "G", "members": ["bob"], "key": "h"]
        #expect(alice.outcome("conversation.create", other) == "no_relationship")
    }

    @Test func logRefusesNothingAndCountsAll() {
        let relay = RelayHarness.withGate("log")
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        bob.send(#"{"type":"privacy","id":1,"presence":"everyone"}"#)
        #expect(alice.outcome("watch", ["users": ["bob"]]) == "ok")
        #expect(alice.outcome("conversation.create", ["kind": "group", "name": "G", "members": ["bob", "c"]]) == "ok")
        #expect(relay.logged == [0, 1, 1] && relay.refused == [0, 0, 0])
        // Now they share a group.
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "x"]) == "ok")
        #expect(alice.outcome("send", ["to": "@dave", "key": "k2", "body": "x"]) == "ok")
        #expect(relay.logged == [1, 1, 1] && relay.refused == [0, 0, 0])
        // A command that is refused anyway doesn't count as the gate's.
        #expect(alice.outcome("watch", ["users": ["dave"]]) == "ok")
        _ = relay.connect("eve")
        #expect(alice.outcome("watch", ["users": ["eve"]]) == "forbidden")
        #expect(relay.logged == [1, 1, 1])
    }

    @Test func aServiceIsHeldToTheSameRule() {
        let relay = RelayHarness.withGate("on")
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        let send: Members = ["as": "tina", "to": "@carl", "key": "k", "body": "x"]
        #expect(mill.outcome("send", send) == "no_relationship")
        #expect(mill.outcome("contact.invite", ["as": "tina", "user": "carl"]) == "ok")
        #expect(mill.outcome("contact.accept", ["as": "carl", "user": "tina"]) == "ok")
        #expect(mill.outcome("send", send) == "ok")
    }

    /// A user who ends a contact doesn't see the other any more, if nothing else allows it.
    @Test func aWatchEndsWithTheContact() {
        let relay = RelayHarness()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(alice.outcome("watch", ["users": ["bob"]]) == "forbidden")
        relay.acquaint(alice, bob)
        #expect(alice.outcome("watch", ["users": ["bob"]]) == "ok")
        #expect(bob.outcome("watch", ["users": ["alice"]]) == "ok")
        relay.pause()
        _ = (alice.take(), bob.take())
        #expect(bob.contact("remove", "alice") == "ok")
        _ = bob.outcome("status", ["state": "busy"])
        _ = alice.outcome("status", ["state": "busy"])
        relay.pause()
        #expect(alice.frames("presence").isEmpty && bob.frames("presence").isEmpty)
        #expect(alice.outcome("watch", ["users": ["bob"]]) == "forbidden")
    }

    // MARK: A share of all pairs

    private let names = (0..<10_000).map { ("u\($0)", "v\($0 * 7 % 9_973)-\($0)") }

    @Test(arguments: [10, 50, 90])
    func aShareOfThePairsIsClosed(share: Int) {
        let policy = Policy(gate: .percent(share))
        let closed = names.count { policy.verdict(onStrangers: $0.0, $0.1) == .closed }
        #expect(abs(closed - share * 100) <= (share == 50 ? 200 : 100), "\(closed) of 10,000")
        // They are the same ones each time, from both sides.
        #expect(
            names.allSatisfy {
                policy.verdict(onStrangers: $0.0, $0.1) == policy.verdict(onStrangers: $0.1, $0.0)
            })
    }

    @Test func aHigherShareOnlyAddsPairs() {
        var before: Set<Int> = []
        for share in [0, 1, 10, 11, 50, 99, 100] {
            let policy = Policy(gate: .percent(share))
            let closed = Set(
                names.indices.filter { policy.verdict(onStrangers: names[$0].0, names[$0].1) == .closed })
            #expect(before.isSubset(of: closed))
            before = closed
        }
        #expect(before.count == names.count)
    }

    /// So that a restart, another machine and another version choose the same pairs.
    @Test func theLotsAreTheseForEver() {
        #expect(Policy.lot(of: "alice", "bob") == Policy.lot(of: "bob", "alice"))
        #expect(["bob", "carol", "dave"].map { Policy.lot(of: "alice", $0) } == [7_876, 3_838, 3_093])
        #expect(Policy.lot(of: "ab", "c") != Policy.lot(of: "a", "bc"))
    }

    @Test func theRelayRefusesTheSamePairsAsThePolicy() {
        let relay = RelayHarness.withGate("percent 50", limits: .with { $0.unansweredPerUser = 10_000 })
        let alice = relay.connect("alice")
        for number in 0..<60 {
            let isClosed = Policy.lot(of: "alice", "u\(number)") < 5_000
            let outcome = alice.outcome("send", ["to": "@u\(number)", "key": "k\(number)", "body": "x"])
            #expect(outcome == (isClosed ? "no_relationship" : "ok"))
        }
        #expect((20...40).contains(relay.refused[0]))
    }

    // MARK: Bounds

    /// Looking for a shared group has an end, and is paid for.
    @Test func theSearchIsBounded() {
        let relay = RelayHarness(limits: .with { $0.gateSteps = 5 })
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        for client in [alice, bob] { for _ in 0..<4 { _ = client.makeGroup() } }
        relay.setGate("on")
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "x"]) == "no_relationship")
        let members: Members = ["kind": "group", "name": "G", "members": ["bob", "carol"]]
        _ = relay.connect("carol")
        #expect(alice.outcome("conversation.create", members) == "no_relationship")
        for client in [alice, bob] { for _ in 0..<2 { _ = client.makeGroup() } }
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "x"]) == "too_large")
        relay.setGate("log")
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "x"]) == "ok")
    }

    @Test func modesAreReadAsTheyAreWritten() {
        for text in ["off", "log", "on", "percent 0", "percent 10", "percent 100"] {
            #expect(GateRules.Mode(text)?.description == text)
        }
        for text in ["", "On", "percent", "percent ", "percent 101", "percent -1", "percent 05", "percent 1.5", "10"] {
            #expect(GateRules.Mode(text) == nil)
        }
    }
}
