import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// `admin.profile` with `deleted: true`: the user leaves every conversation, and can't be reached any more.
@Suite struct FarewellTests {
    private let relay = RelayHarness()
    private let alice, bob, carol: HarnessClient

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
        carol = relay.connect("carol")
    }

    private func mill(at relay: RelayHarness? = nil) -> HarnessClient {
        let client = (relay ?? self.relay).open()
        client.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        return client
    }

    private func delete(_ user: String = "alice", at relay: RelayHarness? = nil) -> String {
        mill(at: relay).outcome("admin.profile", ["user": "\(user)", "deleted": true])
    }

    private func owner(of group: String, for client: HarnessClient) -> [String] {
        client.request("conversation.members", ["conversation": "\(group)"])?.list("members")
            .filter { $0.text("role") == "owner" }.compactMap { $0.text("user") } ?? []
    }

    private func names(in group: String, for client: HarnessClient) -> [String] {
        client.request("conversation.members", ["conversation": "\(group)"])?.list("members")
            .compactMap { $0.text("user") } ?? []
    }

    @Test("heirs own the groups, members are sent that the user left, and a conversation of nobody else is erased")
    func groups() {
        let group = alice.makeGroup("bob", "carol")
        _ = alice.request(
            "conversation.role", ["conversation": "\(group)", "user": "carol", "role": "admin"])
        let other = bob.makeGroup("alice")
        let own = alice.makeGroup()
        let direct = alice.makeDirect("bob")
        alice.post("kept", to: group)
        alice.post("hello", to: direct)
        #expect(delete() == "ok")
        relay.advance(1_000)
        #expect(bob.frames("conversation").count { $0.text("event") == "left" && $0.text("by") == "alice" } == 3)
        #expect(bob.frames("conversation").last { $0.text("conversation") == group }?.text("owner") == "carol")
        #expect(owner(of: group, for: bob) == ["carol"] && names(in: group, for: bob) == ["bob", "carol"])
        #expect(owner(of: other, for: bob) == ["bob"])
        #expect(names(in: direct, for: bob) == ["bob"])
        #expect(relay.relay.directory.conversations[own] == nil)
        // The user's messages stay, unless they are erased.
        #expect(bob.request("history", ["conversation": "\(group)"])?.list("messages").count == 1)
        // The heir may do what owners do.
        #expect(carol.outcome("conversation.remove", ["conversation": "\(group)", "users": ["bob"]]) == "ok")
    }

    @Test("connections of the user end at once and none begins, before the deletion is stored, too")
    func connections() {
        let group = alice.makeGroup("bob")
        relay.holdsCommits = true
        let mill = mill()
        mill.start("admin.profile", ["user": "alice", "deleted": true])
        alice.start("send", ["to": "\(group)", "key": "k", "body": "late"])
        relay.settle()
        #expect(alice.closeCode == .revoked)
        relay.holdsCommits = false
        relay.settle()
        #expect(bob.bodies.isEmpty)
        let back = relay.connect("alice")
        #expect(back.codes == ["unauthorized"] && back.closeCode != nil)
        #expect(mill.outcome("send", ["as": "alice", "to": "\(group)", "key": "k", "body": "x"]) == "gone")
        #expect(mill.outcome("conversation.create", ["as": "alice", "kind": "direct", "members": ["bob"]]) == "gone")
    }

    @Test("who writes to, adds or invites the user gets gone, those with a block as well", arguments: [0, 1, 2])
    func unreachable(block: Int) {
        let direct = alice.makeDirect("bob")
        if block == 1 { _ = alice.request("contact.block", ["users": ["bob"]]) }
        if block == 2 { _ = bob.request("contact.block", ["users": ["alice"]]) }
        let group = bob.makeGroup("carol")
        #expect(delete() == "ok")
        for isOut in [false, true] {
            if isOut { relay.advance(1_000) }
            for to in ["@alice", direct] {
                #expect(bob.outcome("send", ["to": "\(to)", "key": "k", "body": "x"]) == "gone")
            }
            #expect(bob.outcome("conversation.create", ["kind": "direct", "members": ["alice"]]) == "gone")
            #expect(
                bob.outcome("conversation.create", ["kind": "group", "name": "G", "members": ["alice"]]) == "gone")
            #expect(bob.outcome("conversation.add", ["conversation": "\(group)", "users": ["alice"]]) == "gone")
            #expect(bob.outcome("contact.invite", ["user": "alice"]) == "gone")
            #expect(carol.outcome("send", ["to": "@alice", "key": "k", "body": "x"]) == "gone")
        }
        // The messages can still be read.
        #expect(bob.outcome("history", ["conversation": "\(direct)"]) == "ok")
    }

    @Test("contacts, requests and exceptions go; what others have blocked stays hidden from them")
    func others() {
        _ = alice.request("contact.invite", ["user": "bob"])
        _ = alice.request("prospect.set", ["name": "Zoe"])
        _ = alice.request("except", ["users": ["carol"], "as": "never"])
        _ = bob.request("except", ["users": ["alice"], "as": "always"])
        _ = carol.request("contact.block", ["users": ["alice"]])
        #expect(delete() == "ok")
        relay.advance(1_000)
        #expect(bob.frames("contact").last?.text("state") == "none")
        for isRestarted in [false, true] {
            if isRestarted { relay.crash() }
            let (bob, carol) = (relay.connect("bob"), relay.connect("carol"))
            #expect(bob.request("contact.list")?.list("contacts").isEmpty == true)
            #expect(bob.request("privacy")?.list("exceptions").isEmpty == true)
            #expect(carol.request("privacy")?.list("exceptions").first?.text("as") == "blocked")
            let user = relay.relay.directory.user(called: "alice")
            #expect(user?.privacy.exceptions.isEmpty == true && user?.contacts.isEmpty == true)
        }
    }

    @Test("a request to the user ends, and its sender isn't shown anything of the user")
    func requests() {
        var rules = PolicyRules()
        rules.gate = GateRules(.on)
        rules.gate.takesRequests = true
        let relay = RelayHarness(rules: rules)
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(bob.outcome("send", ["to": "@alice", "key": "k", "body": "hello"]) == "ok")
        alice.forget()
        bob.forget()
        #expect(delete(at: relay) == "ok")
        relay.advance(1_000)
        #expect(bob.frames("presence").isEmpty && bob.frames("profile").isEmpty)
        #expect(bob.outcome("send", ["to": "@alice", "key": "k2", "body": "hello"]) == "gone")
        relay.crash()
        #expect(relay.connect("bob").outcome("send", ["to": "@alice", "key": "k3", "body": "hello"]) == "gone")
    }

    @Test("a user in many groups leaves some of them in each batch, and other users' messages go between")
    func paced() {
        let relay = RelayHarness(limits: .with { $0.erasedAtOnce = 8 })
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let groups = (0..<40).map { alice.makeGroup("bob", name: "G\($0)") }
        let mill = mill(at: relay)
        relay.holdsCommits = true
        mill.start("admin.profile", ["user": "alice", "deleted": true])
        relay.settle()
        var largest = 0
        var batches = 0
        while relay.relay.operators.farewells.count > 0, batches < 100 {
            bob.start("send", ["to": "\(groups[39])", "key": "b\(batches)", "body": "x"], id: 100 + batches)
            relay.advance(100)
            largest = max(largest, relay.relay.pendingEvents)
            relay.commitHeldBatch()
            batches += 1
        }
        let answered = bob.frames("ok").count { ($0.number("re") ?? 0) >= 100 }
        relay.holdsCommits = false
        relay.settle()
        #expect(relay.relay.operators.farewells.count == 0 && largest <= 10)
        // Each of bob's messages is stored with the part after it, and not when all of it is over.
        #expect(answered >= batches - 2)
        #expect(batches >= 5)
        #expect(groups.allSatisfy { owner(of: $0, for: bob) == ["bob"] })
        #expect(bob.codes.isEmpty)
    }

    @Test("a crash in the middle delays it, and the deletion said again changes nothing", arguments: [1, 2, 3])
    func crash(after batches: Int) {
        let relay = RelayHarness(limits: .with { $0.erasedAtOnce = 4 })
        let alice = relay.connect("alice")
        let groups = (0..<20).map { alice.makeGroup("bob", name: "G\($0)") }
        let mill = mill(at: relay)
        relay.holdsCommits = true
        mill.start("admin.profile", ["user": "alice", "deleted": true])
        relay.settle()
        for _ in 0..<batches {
            relay.commitHeldBatch()
            relay.advance(200)
        }
        #expect(relay.relay.operators.farewells.count == 1)
        relay.holdsCommits = false
        relay.crash(isHeldBatchDurable: batches == 2)
        #expect(delete(at: relay) == "ok")
        relay.advance(2_000)
        let bob = relay.connect("bob")
        #expect(groups.allSatisfy { owner(of: $0, for: bob) == ["bob"] && names(in: $0, for: bob) == ["bob"] })
        #expect(relay.relay.operators.farewells.count == 0)
        relay.crash()
        #expect(relay.relay.operators.farewells.count == 0)
    }

    @Test("a full disk delays it until there is room")
    func fullDisk() {
        let group = alice.makeGroup("bob")
        #expect(delete() == "ok")
        relay.holdsCommits = true
        relay.advance(500)
        relay.fillDisk()
        relay.advance(2_000)
        relay.holdsCommits = false
        relay.makeRoom()
        relay.advance(2_000)
        #expect(owner(of: group, for: bob) == ["bob"])
    }

    @Test("a user who is brought back before it is over stays where it still is")
    func broughtBack() {
        let group = alice.makeGroup("bob")
        relay.holdsCommits = true
        let mill = mill()
        mill.start("admin.profile", ["user": "alice", "deleted": true], id: 1)
        mill.start("admin.profile", ["user": "alice", "name": "Alice", "deleted": false], id: 2)
        relay.settle()
        relay.holdsCommits = false
        relay.settle()
        relay.advance(1_000)
        let back = relay.connect("alice")
        #expect(back.closeCode == nil && owner(of: group, for: back) == ["alice"])
    }

    @Test("erasing what the user wrote takes its reactions, too")
    func reactions() {
        let group = bob.makeGroup("alice")
        bob.post("one", to: group)
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"])
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "-"])
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "-", "remove": true])
        _ = bob.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"])
        alice.post("two", to: group)
        #expect(delete() == "ok")
        relay.advance(1_000)
        let mill = mill()
        let erasure = mill.request("admin.erase", ["user": "alice"])?["erasure"]
        // Its own events come after the page.
        #expect(erasure?.number("erased") == 1 && erasure?.flag("more") == true)
        let removal = bob.frames("react").last
        #expect(removal?.text("from") == "alice" && removal?.text("reaction") == "+")
        #expect(removal?.flag("removed") == true)
        let shown = bob.request("history", ["conversation": "\(group)"])?.list("messages")
        #expect(shown?.first?.list("reactions").map { $0.number("count") } == [1])
        // There is nothing left, neither after the page nor from the beginning.
        let place = Value("\(erasure?.text("position") ?? "")")
        for members: Members in [["user": "alice", "after": place], ["user": "alice"]] {
            let rest = mill.request("admin.erase", members)?["erasure"]
            #expect(rest?.number("erased") == 0 && rest?.flag("more") == false)
        }
    }
}
