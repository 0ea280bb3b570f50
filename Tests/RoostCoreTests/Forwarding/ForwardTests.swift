import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `forward` of a `send`: the server says again what a message says, and who wrote it.
@Suite struct ForwardTests {
    private let relay: RelayHarness
    private let alice, bob: HarnessClient
    private let group: String
    /// Where bob isn't.
    private let other: String

    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        _ = relay.connect("carol")
        other = alice.makeGroup(["carol"])
    }

    /// A user's allowance is soon spent.
    private let scarce = Limits.with { limits in
        limits.commandsPerSecond = 100
        limits.smallBytes = 1_000
        limits.frameBytes = 40_000
        limits.deliveriesPerCommand = 1
    }

    /// The member `forward` of a command.
    private func source(_ sequence: Int64 = 1, of conversation: String) -> Value {
        Value(json: #"{"conversation":"\#(conversation)","sequence":\#(sequence)}"#)
    }

    private func forward(
        _ sequence: Int64, of source: String? = nil, to target: String? = nil, key: String = "f",
        by client: HarnessClient? = nil
    ) -> JSONValue? {
        (client ?? alice).request(
            "send",
            ["to": "\(target ?? other)", "key": "\(key)", "forward": self.source(sequence, of: source ?? group)])
    }

    private func last(_ client: HarnessClient, of conversation: String? = nil) -> JSONValue? {
        client.request("history", ["conversation": "\(conversation ?? other)"])?.list("messages").last
    }

    @Test("kind and body are those of the message, and its author is told, live, in history and on catch-up")
    func told() {
        let carol = relay.connect("carol")
        let body = Value(json: #"{"url": "a.png"}"#)
        _ = bob.request(
            "send", ["to": "\(group)", "key": "a", "kind": "image", "body": body, "mentions": .list(["alice"])])
        #expect(forward(1)?.number("sequence") == 1)
        for message in [carol.frames("message").last, last(carol), last(alice)] {
            #expect(message?.text("from") == "alice" && message?.text("kind") == "image")
            #expect(message?["body"].map { String(decoding: $0.raw, as: UTF8.self) } == #"{"url": "a.png"}"#)
            #expect(message?["origin"]?.text("from") == "bob" && message?["origin"]?.members?.count == 1)
            #expect(message?["mentions"] == nil)
        }
        relay.crash()
        let back = relay.connect("carol")
        #expect(back.frames("message").last?["origin"]?.text("from") == "bob")
        #expect(last(back)?["origin"]?.text("from") == "bob")
        // Alice's own message has no origin.
        relay.connect("alice").post("mine", to: other)
        #expect(last(back)?["origin"] == nil)
    }

    @Test("ok says what was forwarded, also of a duplicate: what the message is by then")
    func answered() {
        let body = Value(json: #"{"url": "a.png"}"#)
        _ = bob.request("send", ["to": "\(group)", "key": "a", "kind": "image", "body": body])
        for isDuplicate in [nil, true] {
            let answer = forward(1)
            #expect(answer?.text("kind") == "image" && answer?["origin"]?.text("from") == "bob")
            #expect(answer?["body"].map { String(decoding: $0.raw, as: UTF8.self) } == #"{"url": "a.png"}"#)
            #expect(answer?["expires"] == nil && answer?.flag("duplicate") == isDuplicate)
        }
        relay.crash()
        let alice = relay.connect("alice")
        #expect(forward(1, by: alice)?["origin"]?.text("from") == "bob")
        _ = alice.request("delete", ["conversation": "\(other)", "sequence": 1])
        let deleted = forward(1, by: alice)
        #expect(deleted?["body"] == nil && deleted?["origin"] == nil && deleted?["deletedAt"] != nil)
        // A body that the command contains already isn't repeated.
        #expect(alice.post("mine", to: other)?["body"] == nil)
    }

    @Test("who has left isn't shown again what was forwarded")
    func left() {
        let carol = relay.connect("carol")
        bob.post("one", to: group)
        _ = bob.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        bob.post("two", to: group)
        #expect(forward(2, by: carol)?.text("body") == "two")
        _ = alice.request("conversation.remove", ["conversation": "\(other)", "users": ["carol"]])
        let again = forward(2, by: carol)
        #expect(again?.flag("duplicate") == true && again?["body"] == nil && again?["origin"] == nil)
    }

    @Test("who forwards what was forwarded tells who wrote it first")
    func again() {
        bob.post("first", to: group)
        _ = forward(1)
        let carol = relay.connect("carol")
        let third = carol.makeGroup(["dave"])
        #expect(forward(1, of: other, to: third, by: carol)?.outcome == "ok")
        #expect(last(carol, of: third)?["origin"]?.text("from") == "bob")
        #expect(last(carol, of: third)?.text("from") == "carol")
    }

    @Test("it says what the message said then: edits before count, edits and a deletion after don't")
    func moment() {
        bob.post("one", to: group)
        func edit(_ text: String) {
            _ = bob.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "\(text)"])
        }
        edit("two")
        _ = forward(1)
        edit("three")
        #expect(last(alice)?.text("body") == "two" && last(alice)?["editedAt"] == nil)
        _ = bob.request("delete", ["conversation": "\(group)", "sequence": 1])
        #expect(last(alice)?.text("body") == "two")
        #expect(forward(1, key: "g")?.outcome == "gone")
        // In the order of the log, whatever is on its way there.
        relay.holdsCommits = true
        bob.start("send", ["to": "\(group)", "key": "b", "body": "new"], id: 5)
        bob.start("edit", ["conversation": "\(group)", "sequence": 2, "body": "newer"], id: 6)
        let source = source(2, of: group)
        alice.start("send", ["to": "\(other)", "key": "h", "forward": source], id: 7)
        bob.start("delete", ["conversation": "\(group)", "sequence": 2], id: 8)
        relay.holdsCommits = false
        relay.settle()
        #expect(last(alice)?.text("body") == "newer")
    }

    @Test("only what the user may read can be forwarded")
    func hidden() {
        bob.post("one", to: group)
        let carol = relay.connect("carol")
        #expect(forward(1, by: carol)?.outcome == "not_found")
        #expect(forward(2)?.outcome == "not_found")
        #expect(forward(1, of: "nowhere")?.outcome == "not_found")
        #expect(forward(1, of: "@dave")?.outcome == "not_found")
        // Of a group also what was said before her time.
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        bob.post("two", to: group)
        #expect(forward(1, key: "w", by: carol)?.outcome == "ok")
        #expect(forward(2, key: "x", by: carol)?.outcome == "ok")
        // The author has a block, in a group.
        _ = carol.request("contact.block", ["users": ["bob"]])
        #expect(forward(2, key: "y", by: carol)?.outcome == "not_found")
        #expect(forward(2, key: "y")?.outcome == "ok")
        // A retry gets its first answer nevertheless.
        #expect(forward(2, key: "x", by: carol)?.flag("duplicate") == true)
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["carol"]])
        #expect(forward(2, key: "z", by: carol)?.outcome == "not_found")
        #expect(forward(2, key: "x", by: carol)?.flag("duplicate") == true)
    }

    @Test("what has disappeared can't be forwarded, and what is forwarded disappears where it is")
    func disappearing() {
        _ = alice.request("conversation.expiry", ["conversation": "\(group)", "after": 86_400_000])
        bob.post("goes", to: group)
        _ = alice.request("conversation.expiry", ["conversation": "\(other)", "after": 172_800_000])
        #expect(forward(1)?.outcome == "ok")
        let expires = last(alice)?.number("expires")
        #expect(expires == last(alice)?.number("time").map { $0 + 172_800_000 })
        #expect(last(alice)?["origin"]?.text("from") == "bob")
        relay.sleep(86_400_000)
        let back = relay.connect("alice")
        #expect(forward(1, key: "g", by: back)?.outcome == "gone")
        #expect(last(back)?.text("body") == "goes")
        relay.advance(86_400_000 + 60_000)
        let gone = last(relay.connect("alice"))
        #expect(gone?["body"] == nil && gone?["origin"] == nil && gone?.number("deletedAt") == expires)
    }

    @Test("nobody edits what is forwarded, and who sent it may delete it, with its origin")
    func changed() {
        alice.post("mine", to: group)
        _ = forward(1)
        let edit = alice.outcome("edit", ["conversation": "\(other)", "sequence": 1, "body": "other"])
        #expect(edit == "forbidden")
        #expect(alice.outcome("delete", ["conversation": "\(other)", "sequence": 1]) == "ok")
        #expect(last(alice)?["origin"] == nil && last(alice)?["body"] == nil)
        #expect(forward(1, of: other, to: group, key: "g")?.outcome == "gone")
    }

    @Test("a key stands for one command, also of a forwarded message")
    func keys() {
        bob.post("one", to: group)
        #expect(forward(1)?.number("sequence") == 1)
        let again = forward(1)
        #expect(again?.flag("duplicate") == true && again?.number("sequence") == 1)
        #expect(forward(1, to: group)?.outcome == "conflict")
        let text = alice.outcome("send", ["to": "\(other)", "key": "f", "body": "one"])
        #expect(text == "conflict")
        _ = alice.request("send", ["to": "\(other)", "key": "t", "body": "one"])
        #expect(forward(1, key: "t")?.outcome == "conflict")
        // Also when what was forwarded is gone since.
        _ = bob.request("delete", ["conversation": "\(group)", "sequence": 1])
        #expect(forward(1)?.flag("duplicate") == true)
    }

    @Test("a direct conversation is made for it, unless it is refused: then nobody is made")
    func opening() {
        bob.post("one", to: group)
        let users = relay.relay.counters.users
        _ = bob.request("delete", ["conversation": "\(group)", "sequence": 1])
        #expect(forward(1, to: "@erin")?.outcome == "gone")
        #expect(forward(9, to: "@erin")?.outcome == "not_found")
        #expect(relay.relay.counters.users == users)
        let listed = alice.request("conversation.list")?.list("conversations").count
        #expect(listed == 2)
        bob.post("two", to: group)
        #expect(forward(2, to: "@erin")?.outcome == "ok")
        let erin = relay.connect("erin")
        #expect(erin.frames("message").last?["origin"]?.text("from") == "bob")
        #expect(erin.frames("message").last?.text("body") == "two")
        relay.crash()
        #expect(relay.connect("erin").request("conversation.list")?.list("conversations").count == 1)
    }

    @Test("the rules for writing are those of any message")
    func allowed() {
        bob.post("one", to: group)
        #expect(forward(1, to: other, by: bob)?.outcome == "not_found")
        _ = bob.request("contact.block", ["users": ["carol"]])
        #expect(forward(1, to: "@carol", by: bob)?.outcome == "blocked")
        let carol = relay.connect("carol")
        for (member, value) in [("body", "x"), ("kind", "image")] as [(String, String)] {
            let frame = #"{"type":"send","id":9,"to":"\#(other)","key":"k","\#(member)":"\#(value)","#
            let asked = alice.ask(frame + #""forward":{"conversation":"\#(group)","sequence":1}}"#)
            #expect(asked?.outcome == "bad_request", "\(member)")
        }
        #expect(forward(1)?.outcome == "ok")
        #expect(carol.frames("message").count == 1)
    }

    @Test("what was said in a direct conversation before a block stays there to read, and so to forward")
    func blockedInDirect() {
        let direct = alice.makeDirect("bob")
        bob.post("one", to: direct)
        _ = alice.request("contact.block", ["users": ["bob"]])
        #expect(forward(1, of: direct)?.outcome == "ok")
        #expect(last(alice)?["origin"]?.text("from") == "bob" && last(alice)?.text("body") == "one")
    }

    @Test("the queue of the store counts a forwarded message as the longest")
    func queue() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob(
            limits: .with { limits in
                limits.frameBytes = 10_000
                limits.pendingBytes = 15_000
            })
        alice.post("one", to: group)
        relay.holdsCommits = true
        let source = source(of: group)
        for id in 1...2 { alice.start("send", ["to": "\(group)", "key": "k\(id)", "forward": source], id: id) }
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes == ["busy"])
    }

    @Test("what finds no room on the disk costs as other commands")
    func fullDisk() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob(limits: scarce)
        alice.post("one", to: group)
        relay.advance(10_000)
        relay.holdsCommits = true
        let source = source(of: group)
        alice.start("send", ["to": "\(group)", "key": "a", "forward": source])
        relay.fillDisk()
        #expect(alice.codes == ["unavailable"])
        relay.holdsCommits = false
        relay.makeRoom()
        #expect(alice.outcome("send", ["to": "\(group)", "key": "b", "forward": source]) == "ok")
    }

    /// 200 may be spent, and up to 101 by a message under way.
    @Test("what isn't forwarded costs as other commands, whoever refuses it", arguments: ["gone", "busy"])
    func refused(code: String) {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(limits: scarce)
        alice.post("one", to: group)
        var target = group
        if code == "gone" {
            _ = alice.request("delete", ["conversation": "\(group)", "sequence": 1])
        } else {
            target = alice.makeDirect("bob")
            _ = bob.request("conversation.leave", ["conversation": "\(target)"])
        }
        relay.advance(10_000)
        if code == "busy" {
            // It isn't known whether the last one leaves, or has left before.
            relay.holdsCommits = true
            alice.start("conversation.leave", ["conversation": "\(target)", "key": "l"], id: 7)
        }
        let source = source(of: group)
        let name = code == "gone" ? target : "@bob"
        for number in 0..<20 {
            let asked = alice.outcome("send", ["to": "\(name)", "key": "k\(number)", "forward": source])
            #expect(asked == code)
        }
        relay.holdsCommits = false
        relay.settle()
    }

    @Test("who forwards pays for what the message turns out to be, and at first for the longest")
    func price() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob(limits: scarce)
        defer { relay.settle() }
        alice.post("short", to: group)
        let long = String(repeating: "x", count: 10_500)
        #expect(alice.outcome("send", ["to": "\(group)", "key": "long", "body": "\(long)"]) == "ok")
        func count(_ sequence: Int64) -> Int {
            relay.advance(10_000)
            var count = 0
            while count < 500 {
                let source = source(sequence, of: group)
                let key = "k\(sequence)-\(count)"
                let asked = alice.outcome("send", ["to": "\(group)", "key": "\(key)", "forward": source])
                guard asked == "ok" else {
                    #expect(asked == "rate_limited")
                    return count
                }
                count += 1
            }
            return count
        }
        // 200 may be spent. Two sessions get it: 3 a message, and 101 while it is under way, the most that there is.
        #expect(count(1) == 34)
        // 10 for the bytes, 5 for storing them, 22 for telling, and 1 for the command.
        #expect(count(2) == 3)
    }
}
