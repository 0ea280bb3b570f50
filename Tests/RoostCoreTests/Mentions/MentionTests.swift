import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `mentions`: the users that a message is for above all, and each member's unread mentions.
@Suite struct MentionTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    init() { (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol") }

    private func send(
        _ key: String, _ names: [String], by client: HarnessClient? = nil, to: String? = nil
    ) -> JSONValue? {
        (client ?? alice).request(
            "send", ["to": "\(to ?? group)", "key": "\(key)", "body": "\(key)", "mentions": .list(names)])
    }

    private func edit(_ sequence: Int64, _ body: String, _ members: Members = [:]) -> String {
        var all: [(String, Value)] = [
            ("conversation", "\(group)"), ("sequence", .init(integerLiteral: sequence)), ("body", "\(body)"),
        ]
        all += members.map { ($0.key, $0.value) }
        let json = all.map { "\"\($0.0)\":\($0.1.json)" }.joined(separator: ",")
        return alice.ask("{\"type\":\"edit\",\"id\":7,\(json)}")?.outcome ?? "nothing"
    }

    /// Unread mentions, and the first of them; nil if there are none.
    private func unread(_ client: HarnessClient) -> [Int64]? {
        let object = client.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
        guard let count = object?.number("mentions") else { return nil }
        return [count, object?.number("firstMention") ?? 0]
    }

    private func names(_ event: JSONValue?) -> [String] { event?.list("mentions").compactMap(\.string) ?? [] }

    @Test("a mention is told in the event and in history, each name once, and counted for those whom it names")
    func told() {
        #expect(send("a", ["bob", "carol", "bob"])?.outcome == "ok")
        #expect(names(bob.frames("message").last) == ["bob", "carol"])
        let shown = bob.request("history", ["conversation": "\(group)"])?.list("messages").first
        #expect(names(shown) == ["bob", "carol"])
        #expect(unread(bob) == [1, 1] && unread(alice) == nil)
        let carol = relay.connect("carol")
        #expect(names(carol.frames("message").last) == ["bob", "carol"])
        #expect(unread(carol) == [1, 1])
    }

    @Test("reading and writing take mentions away, and the reader's own devices are told")
    func read() {
        _ = send("a", ["bob"])
        _ = send("b", ["bob", "carol"])
        alice.post("plain", to: group)
        #expect(unread(bob) == [2, 1])
        bob.tell("read", ["conversation": "\(group)", "sequence": 1])
        relay.pause()
        #expect(unread(bob) == [1, 2])
        let told = bob.frames("receipt").last { $0.text("user") == "bob" }
        #expect(told?.number("mentions") == 1 && told?.number("firstMention") == 2)
        bob.post("mine", to: group)
        relay.pause()
        #expect(unread(bob) == nil)
        #expect(bob.frames("receipt").last { $0.text("user") == "bob" }?.number("mentions") == nil)
    }

    @Test("only members are mentioned, in groups, and all of them by admins")
    func refused() {
        #expect(send("a", ["dave"])?.outcome == "not_found")
        #expect(send("b", ["bob"], to: "@bob")?.outcome == "bad_request")
        _ = alice.makeDirect("bob")
        #expect(send("b", ["bob"], to: "@bob")?.outcome == "bad_request")
        #expect(send("c", ["@all"], by: bob)?.outcome == "forbidden")
        #expect(send("c", ["@all"])?.outcome == "ok")
        #expect(unread(bob) == [1, 1] && unread(alice) == nil)
        // The refused ones made no user, and stored nothing.
        #expect(relay.relay.counters.users == 3)
        // Nor is anybody mentioned who is known, and no member.
        _ = relay.connect("dave")
        #expect(send("a", ["bob", "dave"])?.outcome == "not_found")
        #expect(alice.request("send", ["to": "\(group)", "key": "d", "body": "d"])?.number("sequence") == 2)
    }

    @Test("an edit replaces the list; whom it mentions anew has it unread, and nobody loses what was told")
    func edits() {
        _ = send("a", ["bob"])
        alice.post("b", to: group)
        let carol = relay.connect("carol")
        #expect(edit(1, "a2", ["mentions": ["carol"]]) == "ok")
        #expect(names(carol.frames("edit").last) == ["carol"])
        #expect(unread(carol) == [1, 1] && unread(bob) == [1, 1])
        #expect(edit(1, "a2", ["mentions": ["carol"]]) == "ok")
        #expect(carol.frames("edit").count == 1)
        #expect(edit(1, "a2") == "ok")
        #expect(carol.frames("edit").last?["mentions"] == nil && carol.frames("edit").count == 2)
        let shown = carol.request("history", ["conversation": "\(group)"])?.list("messages").first
        #expect(shown?["mentions"] == nil && shown?.text("body") == "a2")
        carol.tell("read", ["conversation": "\(group)", "sequence": 2])
        #expect(edit(1, "a3", ["mentions": ["carol"]]) == "ok")
        #expect(unread(carol) == nil)
        #expect(edit(1, "a4", ["mentions": ["dave"]]) == "not_found")
    }

    @Test("what was missed is caught up with its mentions, from memory and from the log", arguments: [true, false])
    func caughtUp(fromWindow: Bool) {
        let bounds = Limits.with { if !fromWindow { $0.windowBytes = 0 } }
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(limits: bounds)
        bob.ackAll()
        bob.drop()
        _ = alice.request("send", ["to": "\(group)", "key": "a", "body": "a", "mentions": ["bob"]])
        _ = alice.request("send", ["to": "\(group)", "key": "b", "body": "b", "mentions": ["bob"]])
        _ = alice.request(
            "edit", ["conversation": "\(group)", "sequence": 1, "body": "a2", "mentions": ["bob", "alice"]])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 2])
        let back = relay.connect("bob")
        #expect(back.frames("message").map(names) == [["bob", "alice"], []])
        #expect(back.frames("message").last?.number("deletedAt") != nil)
        #expect(back.frames("edit").map(names) == [["bob", "alice"]])
    }

    @Test("unread mentions survive a restart, and those of a former membership don't come back")
    func restart() {
        _ = send("a", ["bob"])
        _ = send("b", ["bob", "@all"])
        bob.tell("read", ["conversation": "\(group)", "sequence": 1])
        relay.pause()
        relay.crash()
        var (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(unread(bob) == [1, 2])
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["bob"]])
        #expect(unread(bob) == nil)
        relay.crash()
        (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(unread(bob) == nil && unread(alice) == nil)
    }

    @Test("mentions by whom a block parts from the member don't count while it is there, also after a restart")
    func blocked() {
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "carol", "role": "admin"])
        let carol = relay.connect("carol")
        _ = send("a", ["bob"])
        _ = send("b", ["bob", "@all"], by: carol)
        _ = send("c", ["@all"])
        #expect(unread(bob) == [3, 1])
        #expect(bob.outcome("contact.block", ["users": ["alice"]]) == "ok")
        #expect(unread(bob) == [1, 2])
        relay.pause()
        relay.crash()
        let bob = relay.connect("bob")
        #expect(unread(bob) == [1, 2])
        #expect(bob.outcome("contact.unblock", ["users": ["alice"]]) == "ok")
        #expect(unread(bob) == [3, 1])
    }

    @Test("of very many, the newest are kept")
    func bound() {
        let most = Int64(Limits().mentionsKept)
        for number in 1...(most + 5) {
            _ = send("k\(number)", ["bob"])
            relay.advance(100)
        }
        #expect(unread(bob) == [most, 6])
        relay.crash()
        #expect(unread(relay.connect("bob")) == [most, 6])
    }

    @Test("a retry with other mentions is another command; after an edit they aren't compared")
    func retries() {
        _ = send("a", ["bob"])
        #expect(send("a", ["bob"])?.flag("duplicate") == true)
        #expect(send("a", ["carol"])?.outcome == "conflict")
        #expect(alice.post("a", to: group)?.outcome == "conflict")
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        #expect(send("a", ["bob"])?.flag("duplicate") == true)
        #expect(edit(1, "x") == "ok")
        #expect(send("a", ["carol"])?.flag("duplicate") == true)
    }

    @Test("a mention of somebody who may be about to leave waits")
    func uncertain() {
        relay.holdsCommits = true
        alice.start("conversation.remove", ["conversation": "\(group)", "users": ["bob"], "key": "r"], id: 3)
        alice.start("send", ["to": "\(group)", "key": "a", "body": "a", "mentions": ["bob"]], id: 4)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.frames.last { $0.number("re") == 4 }?.text("code") == "busy")
    }

    @Test("each five names cost one command more")
    func price() {
        let relay = RelayHarness(limits: .with { $0.commandsPerSecond = 4 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup((1...10).map { "u\($0)" })
        relay.advance(10_000)
        let names = Value.list((1...10).map { "u\($0)" })
        let outcomes = ["a", "b", "c"].map {
            alice.outcome("send", ["to": "\(group)", "key": "\($0)", "body": "x", "mentions": names])
        }
        #expect(outcomes == ["ok", "ok", "rate_limited"])
        relay.advance(10_000)
        let edits = (1...3).map { number in
            alice.outcome(
                "edit", ["conversation": "\(group)", "sequence": 1, "body": "\(number)", "mentions": names])
        }
        #expect(edits == ["ok", "ok", "rate_limited"])
    }
}
