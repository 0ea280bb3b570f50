import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `send`: a message is durable before any client gets it, and then goes to all in order.
@Suite struct SendTests {
    let relay = RelayHarness()

    @Test func nothingLeavesBeforeTheMessageIsDurable() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        alice.forget()
        bob.forget()
        relay.holdsCommits = true
        alice.post("hi", to: group)
        relay.advance(1_000)
        #expect(alice.frames.isEmpty)
        #expect(bob.frames.isEmpty)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.frames("ok").count == 1)
        #expect(bob.bodies == ["hi"])
    }

    @Test func everyDeviceGetsAMessageExceptTheSendingOne() {
        let phone = relay.connect("alice", "phone")
        let tablet = relay.connect("alice", "tablet")
        let bobs = [relay.connect("bob", "phone"), relay.connect("bob", "tablet")]
        let carol = relay.connect("carol")
        phone.post("hi", to: phone.makeGroup("bob"))
        #expect(phone.bodies.isEmpty)
        #expect(tablet.bodies == ["hi"])
        #expect(bobs.map(\.bodies) == [["hi"], ["hi"]])
        #expect(carol.frames("message").isEmpty)
    }

    @Test func messageAndOkSayTheSame() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        alice.post("first", to: group)
        let reply = alice.request("send", ["to": "\(group)", "key": "m-2", "body": "hi", "replyTo": 1])
        let message = bob.frames("message").last
        for member in ["conversation", "position"] { #expect(reply?.text(member) == message?.text(member)) }
        for member in ["sequence", "time"] { #expect(reply?.number(member) == message?.number(member)) }
        #expect(reply?.text("conversation") == group)
        #expect(message?.number("sequence") == 2)
        #expect(message?.text("from") == "alice")
        #expect(message?["kind"] == nil, "text goes without saying")
        #expect(message?.text("body") == "hi")
        #expect(message?.number("replyTo") == 1)
    }

    @Test func deviceAndKeyAreForTheAuthorsOwnDevices() {
        let alice = relay.connect("alice")
        let tablet = relay.connect("alice", "tablet")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        // Both are in one batch, so that they are delivered in one run.
        relay.holdsCommits = true
        for (index, author) in [alice, tablet, bob, alice].enumerated() {
            author.start("send", ["to": "\(group)", "key": "m-\(index)", "body": "hi"], id: index)
        }
        relay.holdsCommits = false
        relay.settle()
        func seen(_ client: HarnessClient) -> [String] {
            client.frames("message").map { "\($0.text("device") ?? "-") \($0.text("key") ?? "-")" }
        }
        #expect(seen(alice) == ["tablet m-1", "- -"])
        #expect(seen(tablet) == ["phone m-0", "- -", "phone m-3"])
        #expect(seen(bob) == ["- -", "- -", "- -"])
    }

    @Test func aBodyIsPassedOnByteForByte() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let body = #"{"b": 1.0e0,  "a":[ null ],"a":"\u0041"}"#
        _ = alice.request("send", ["to": "@bob", "key": "k", "kind": "x.y", "body": Value(json: body)])
        #expect(bob.frames("message").first?["body"]?.raw == Array(body.utf8))
        #expect(bob.frames("message").first?.text("kind") == "x.y")
    }

    @Test func sequencesAreDenseInEachConversation() {
        let alice = relay.connect("alice")
        let one = alice.makeGroup("bob")
        let other = alice.makeGroup("bob")
        var sequences: [String: [Int64]] = [:]
        for number in 1...6 {
            let group = number % 3 == 0 ? other : one
            sequences[group, default: []].append(alice.post("m\(number)", to: group)?.number("sequence") ?? 0)
        }
        #expect(sequences == [one: [1, 2, 3, 4], other: [1, 2]])
    }

    @Test func positionsOrderAllConversations() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        for number in 1...5 { alice.post("m\(number)", to: number % 2 == 0 ? "@bob" : "@carol") }
        bob.post("last", to: "@alice")
        let positions = alice.frames.compactMap { $0.text("position") }
            .compactMap { Position($0, epoch: "memory")?.value }.filter { $0 > 0 }
        #expect(positions == positions.sorted())
        #expect(positions.count > 5)
    }

    @Test func onlyMembersMaySend() {
        let group = relay.connect("alice").makeGroup("bob")
        let carol = relay.connect("carol")
        #expect(carol.outcome("send", ["to": "\(group)", "key": "k", "body": "b"]) == "not_found")
        #expect(carol.outcome("send", ["to": "cnowhere", "key": "k", "body": "b"]) == "not_found")
        #expect(carol.outcome("send", ["to": "@carol", "key": "k", "body": "b"]) == "bad_request")
    }

    @Test func aReplyNeedsAMessageThatIsThere() {
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        alice.post("one", to: group)
        #expect(alice.outcome("send", ["to": "\(group)", "key": "a", "body": "b", "replyTo": 2]) == "not_found")
        #expect(alice.outcome("send", ["to": "\(group)", "key": "b", "body": "b", "replyTo": 1]) == "ok")
    }

    /// The first command is under way when the second one comes.
    @Test func aReplyMayFollowItsMessageAtOnce() {
        let alice = relay.connect("alice")
        let group = alice.makeGroup()
        alice.start("send", ["to": "\(group)", "key": "a", "body": "a"], id: 5)
        alice.start("send", ["to": "\(group)", "key": "b", "body": "b", "replyTo": 1], id: 6)
        alice.start("send", ["to": "\(group)", "key": "c", "body": "c", "replyTo": 9], id: 7)
        relay.settle()
        #expect(alice.frames.suffix(3).map { $0.text("code") ?? "ok" } == ["ok", "ok", "not_found"])
    }
}
