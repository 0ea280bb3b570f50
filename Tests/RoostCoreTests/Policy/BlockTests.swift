import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// A blocker can't write to the blocked user and gets nothing from it. The blocked one doesn't learn of the block: see
/// `SilenceTests`.
@Suite struct BlockTests {
    let relay = RelayHarness()
    let alice: HarnessClient
    let bob: HarnessClient

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
    }

    private func block(_ client: HarnessClient, _ user: String) {
        #expect(client.outcome("contact.block", ["users": ["\(user)"]]) == "ok")
    }

    private func unblock(_ client: HarnessClient, _ user: String) {
        #expect(client.outcome("contact.unblock", ["users": ["\(user)"]]) == "ok")
    }

    /// Everything that either may try to say or to open.
    private func outcomes(_ client: HarnessClient, _ peer: String, in direct: String) -> Set<String> {
        let group = client.makeGroup("carol")
        return Set([
            client.outcome("send", ["to": "@\(peer)", "key": "a", "body": "x"]),
            client.outcome("send", ["to": "\(direct)", "key": "b", "body": "x"]),
            client.outcome("send", ["to": "\(direct)", "key": "b", "body": "x"]),
            client.outcome("signal", ["to": "\(direct)", "body": "x"]),
            client.outcome("typing", ["to": "\(direct)"]),
            client.outcome("react", ["conversation": "\(direct)", "sequence": 1, "reaction": "x"]),
            client.outcome("edit", ["conversation": "@\(peer)", "sequence": 1, "body": "x"]),
            client.outcome("conversation.create", ["kind": "direct", "members": ["\(peer)"]]),
            client.outcome("conversation.create", ["kind": "group", "name": "x", "members": ["carol", "\(peer)"]]),
            client.outcome("conversation.add", ["conversation": "\(group)", "users": ["dave", "\(peer)"]]),
            client.outcome("contact.invite", ["user": "\(peer)", "kind": "friend"]),
        ])
    }

    @Test func theBlockerIsToldWhyItCanSayNothing() {
        alice.post("hello", to: "@bob")
        let direct = bob.frames("message").first?.text("conversation") ?? ""
        bob.post("there", to: direct)
        block(alice, "bob")
        bob.forget()
        #expect(outcomes(alice, "bob", in: direct) == ["blocked"])
        #expect(bob.bodies.isEmpty && bob.frames("signal").isEmpty && bob.frames("typing").isEmpty)
        // The refused command made no user.
        #expect(relay.relay.directory.user(called: "dave") == nil)
    }

    @Test func earlierMessagesStayReadable() {
        alice.post("hello", to: "@bob")
        let direct = bob.frames("message").first?.text("conversation") ?? ""
        block(alice, "bob")
        for client in [alice, bob] {
            let page = client.request("history", ["conversation": "\(direct)"])
            #expect(page?.list("messages").map { $0.text("body") } == ["hello"])
            let listed = client.request("conversation.list")?.list("conversations").first?["message"]
            #expect(listed?.text("body") == "hello")
            #expect(client.outcome("read", ["conversation": "\(direct)", "sequence": 1]) == "ok")
        }
        // The author may take it back.
        #expect(alice.outcome("delete", ["conversation": "\(direct)", "sequence": 1]) == "ok")
        #expect(relay.connect("bob", "tablet").frames("delete").count == 1)
    }

    @Test func aRetryGetsItsFirstAnswer() {
        let first = alice.post("hello", to: "@bob")
        block(bob, "alice")
        let again = alice.post("hello", to: "@bob")
        #expect(again?.number("sequence") == first?.number("sequence") && again?.flag("duplicate") == true)
    }

    @Test func unblockingGivesBackWhatOneHasBlockedOneself() {
        block(alice, "bob")
        block(bob, "alice")
        #expect(alice.post("none", to: "@bob")?.outcome == "blocked")
        unblock(alice, "bob")
        #expect(alice.post("one", to: "@bob")?.outcome == "ok")
        unblock(alice, "bob")
        unblock(bob, "alice")
        #expect(alice.post("two", to: "@bob")?.outcome == "ok")
        #expect(bob.bodies == ["two"])
    }

    @Test func aBlockIsListedAndNobodyElseIsTold() {
        let tablet = relay.connect("alice", "tablet")
        block(alice, "bob")
        block(alice, "bob")
        #expect(tablet.frames("privacy").count == 1)
        #expect(bob.frames("privacy").isEmpty)
        let listed = alice.request("privacy")?.list("exceptions").map { [$0.text("user"), $0.text("as")] }
        #expect(listed == [["bob", "blocked"]])
        #expect(bob.request("privacy")?.list("exceptions").isEmpty == true)
    }

    /// The answer is the same whether or not the user knew of the other one before, so that nothing can be learned from
    /// it.
    @Test(arguments: [true, false])
    func allDevicesAreToldThatTheBlockedOneIsOffline(isHere: Bool) {
        let tablet = relay.connect("alice", "tablet")
        if !isHere { bob.drop() }
        block(alice, "bob")
        relay.pause()
        for client in [alice, tablet] {
            let told = client.frames("presence").flatMap { $0.list("users") }
            #expect(told.map { $0.text("user") } == ["bob"])
            #expect(told.map { $0.text("state") } == ["offline"])
            #expect(told.allSatisfy { $0.number("lastSeen") == nil && $0.text("seen") == nil })
        }
        #expect(bob.frames("presence").isEmpty)
    }

    /// The state may be the same as before, and the device may have connected when the two had no conversation.
    @Test(arguments: [true, false])
    func allDevicesGetTheStateOfAnUnblockedPeer(isHere: Bool) throws {
        let direct = try #require(alice.post("hello", to: "@bob")?.text("conversation"))
        block(alice, "bob")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(direct)"]) == "ok")
        let tablet = relay.connect("alice", "tablet")
        #expect(bob.post("again", to: "@alice")?.outcome == "ok")
        if !isHere {
            // Then the state is the same as during the block.
            #expect(bob.outcome("privacy", ["lastSeen": "nobody"]) == "ok")
            bob.drop()
            relay.advance(20_000)
        }
        relay.pause()
        _ = tablet.frames("presence")
        unblock(alice, "bob")
        relay.pause()
        let told = tablet.frames("presence").flatMap { $0.list("users") }
        #expect(told.map { $0.text("user") } == ["bob"])
        #expect(told.map { $0.text("state") } == [isHere ? "online" : "offline"])
    }

    /// An exception doesn't take a block away, and the word isn't one of `except`.
    @Test func onlyUnblockingEndsABlock() {
        block(alice, "bob")
        for kind in ["always", "never", "none"] {
            #expect(alice.outcome("except", ["users": ["carol", "bob"], "as": "\(kind)"]) == "conflict")
        }
        #expect(alice.outcome("except", ["users": ["bob"], "as": "blocked"]) == "bad_request")
        #expect(alice.outcome("contact.block", ["users": ["alice"]]) == "bad_request")
        #expect(alice.outcome("except", ["users": ["carol"], "as": "never"]) == "ok")
        unblock(alice, "carol")
        #expect(alice.request("privacy")?.list("exceptions").map { $0.text("as") } == ["blocked", "never"])
    }

    @Test func aBlockStaysOverARestart() {
        block(alice, "bob")
        relay.crash()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(bob.post("x", to: "@alice")?.outcome == "ok")
        #expect(alice.events.isEmpty && alice.bodies.isEmpty)
        #expect(alice.post("x", to: "@bob")?.outcome == "blocked")
        unblock(alice, "bob")
        relay.crash()
        #expect(relay.connect("bob").post("y", to: "@alice")?.outcome == "ok")
    }

    @Test func aServiceCanNotSpeakAroundABlock() {
        block(bob, "alice")
        let service = relay.open()
        service.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        let sent = service.request("send", ["as": "alice", "to": "@bob", "key": "k", "body": "x"])
        #expect(sent?.outcome == "ok")
        #expect(bob.bodies.isEmpty && bob.request("conversation.list")?.list("conversations").isEmpty == true)
    }
}
