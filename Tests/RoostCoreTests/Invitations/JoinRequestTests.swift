import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// A group that asks its admins who opens its links.
@Suite struct JoinRequestTests {
    let relay: RelayHarness
    let alice: HarnessClient
    let bob: HarnessClient
    let group: String

    init() {
        relay = RelayHarness.withContacts("friend")
        alice = relay.connect("alice")
        bob = relay.connect("bob")
        _ = relay.connect("carol")
        group = alice.makeGroup("carol")
        #expect(setJoining("ask", by: alice)?.text("position") != nil)
    }

    @discardableResult
    private func setJoining(_ rule: String, by client: HarnessClient) -> JSONValue? {
        client.request("conversation.joining", ["conversation": "\(group)", "joining": "\(rule)"])
    }

    private func link(_ uses: Int64 = 5, after time: Int64 = 86_400_000) -> String {
        alice.makeInvite([
            "conversation": "\(group)", "uses": .init(integerLiteral: uses), "after": .init(integerLiteral: time),
        ])
    }

    private func waiting(_ client: HarnessClient) -> [String]? {
        client.request("join.list", ["conversation": "\(group)"])?.list("joins").compactMap { $0.text("user") }
    }

    private func awaited(_ client: HarnessClient) -> Int { client.request("join.list")?.list("joins").count ?? -1 }

    private func decide(_ verb: String, _ user: String, by client: HarnessClient) -> String {
        client.outcome("join.\(verb)", ["conversation": "\(group)", "user": "\(user)"])
    }

    private func object(_ client: HarnessClient) -> JSONValue? {
        client.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
    }

    @Test func whoOpensTheLinkWaitsUntilAnAdminLetsItIn() {
        let carol = relay.connect("carol", "desk")
        #expect(object(carol)?.text("joining") == "ask")
        _ = bob.request("profile.set", ["name": "Bob B."])
        let code = link()
        alice.forget()
        let asked = bob.request("invite.open", ["code": "\(code)"])
        #expect(asked?.outcome == "ok" && asked?.flag("waiting") == true && asked?["conversation"] == nil)
        #expect(bob.openInvite(code) == "ok", "to ask again changes nothing")
        #expect(alice.frames("joins").map { $0.number("waiting") } == [1] && carol.frames("joins").isEmpty)
        #expect(object(bob)?.outcome == nil && awaited(bob) == 1)
        let told = alice.request("join.list", ["conversation": "\(group)"])?.list("joins").first
        #expect(told?.text("user") == "bob" && told?.text("name") == "Bob B." && told?.text("inviter") == "alice")
        #expect(object(alice)?.number("waiting") == 1 && object(carol)?["waiting"] == nil)
        #expect(alice.invites() == ["0/5"])
        #expect(decide("accept", "bob", by: alice) == "ok")
        let added = bob.frames("conversation").last
        #expect(added?.text("event") == "added" && added?.text("by") == "alice" && added?.text("inviter") == "alice")
        #expect(bob.post("in", to: group)?.outcome == "ok" && alice.invites() == ["1/5"])
        #expect(waiting(alice) == [] && awaited(bob) == 0 && object(alice)?["waiting"] == nil)
        #expect(alice.frames("joins").last?.number("waiting") == 0)
        #expect(decide("accept", "bob", by: alice) == "not_found")
    }

    /// A refused user gets the same as one whose link was revoked.
    @Test func aRefusalTellsNothing() {
        let ends = [
            { #expect(decide("refuse", "bob", by: alice) == "ok") },
            { _ = alice.request("invite.revoke", ["invite": "\(firstLink())"]) },
        ]
        let told = ends.map { end in
            let code = link()
            #expect(bob.openInvite(code) == "ok")
            bob.forget()
            end()
            #expect(awaited(bob) == 0 && waiting(alice) == [])
            #expect(["refuse", "accept"].map { decide($0, "bob", by: alice) } == ["not_found", "not_found"])
            return bob.frames("joins").map { "\($0)" }
        }
        #expect(told[0].count == 1 && told[0] == told[1], "\(told)")
    }

    /// New admins and new sessions get the number of waiting users, and no other user does.
    @Test func numbersReachAdminsOnly() {
        #expect(bob.openInvite(link()) == "ok")
        let carol = relay.connect("carol", "desk")
        #expect(carol.frames("joins").isEmpty)
        #expect(
            alice.outcome("conversation.role", ["conversation": "\(group)", "user": "carol", "role": "admin"]) == "ok")
        #expect(carol.frames("joins").map { $0.number("waiting") } == [1])
        #expect(relay.connect("carol", "phone").frames("joins").map { $0.number("waiting") } == [1])
        let phone = relay.connect("bob", "phone")
        #expect(phone.frames("joins").count == 1 && phone.frames("joins").first?["conversation"] == nil)
        carol.forget()
        #expect(
            alice.outcome("conversation.role", ["conversation": "\(group)", "user": "carol", "role": "member"]) == "ok")
        #expect(decide("refuse", "bob", by: alice) == "ok")
        #expect(carol.frames("joins").isEmpty)
    }

    /// A suspended or deleted user waits no more, and neither do those who came by its links.
    @Test func accountsThatEnd() {
        let (mill, olga) = (relay.open(), relay.open())
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        olga.send(#"{"type":"hello","id":0,"token":"admin:olga","operator":true}"#)
        #expect(
            alice.outcome("conversation.role", ["conversation": "\(group)", "user": "carol", "role": "admin"]) == "ok")
        let carols = relay.connect("carol").makeInvite(["conversation": "\(group)", "uses": 5])
        let users = ["dave", "eve", "zoe"].map { relay.connect($0) }
        #expect(users.map { $0.openInvite(link()) } == ["ok", "ok", "ok"] && bob.openInvite(carols) == "ok")
        #expect(waiting(alice).map(Set.init) == ["bob", "dave", "eve", "zoe"])
        #expect(olga.outcome("admin.revoke", ["user": "dave"]) == "ok")
        #expect(mill.outcome("admin.profile", ["user": "eve", "deleted": true]) == "ok")
        relay.pause()
        #expect(waiting(alice).map(Set.init) == ["bob", "zoe"])
        #expect(olga.outcome("admin.revoke", ["user": "carol"]) == "ok")
        #expect(waiting(alice) == ["zoe"] && decide("accept", "bob", by: alice) == "not_found" && awaited(bob) == 0)
    }

    @Test func whatEndsDropsTheRequest() {
        let ends: [(String) -> Void] = [
            { _ in _ = self.alice.request("invite.revoke", ["invite": "\(self.firstLink())"]) },
            { _ in _ = self.alice.outcome("conversation.add", ["conversation": "\(self.group)", "users": ["bob"]]) },
            { _ in self.relay.advance(2_000) },
        ]
        for (index, end) in ends.enumerated() {
            let code = link(after: 2_000)
            #expect(bob.openInvite(code) == "ok" && waiting(alice) == ["bob"], "\(index)")
            end(code)
            #expect(waiting(alice) == [] && decide("accept", "bob", by: alice) == "not_found", "\(index)")
            _ = alice.outcome("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        }
        let last = link()
        #expect(bob.openInvite(last) == "ok")
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        // The link was alice's, who is no admin any more.
        #expect(waiting(relay.connect("carol")) == [] && awaited(bob) == 0)
    }

    private func firstLink() -> String {
        alice.request("invite.list")?.list("invites").last?.text("invite") ?? "none"
    }

    @Test func aLinkForOneLetsInOne() {
        _ = relay.connect("dave")
        let (dave, code) = (relay.connect("dave"), link(1))
        #expect(bob.openInvite(code) == "ok" && dave.openInvite(code) == "ok")
        #expect(waiting(alice).map(Set.init) == ["bob", "dave"])
        #expect(decide("accept", "dave", by: alice) == "ok")
        #expect(waiting(alice) == [] && decide("accept", "bob", by: alice) == "not_found")
        #expect(bob.openInvite(code) == "not_found")
    }

    @Test func onlyAdminsSeeAndDecide() {
        #expect(bob.openInvite(link()) == "ok")
        let carol = relay.connect("carol")
        for (client, outcome) in [(carol, "forbidden"), (bob, "not_found")] {
            #expect(client.outcome("join.list", ["conversation": "\(group)"]) == outcome)
            #expect(decide("accept", "bob", by: client) == outcome && decide("refuse", "bob", by: client) == outcome)
            #expect(setJoining("open", by: client)?.outcome == outcome)
        }
    }

    @Test func itOutlivesACrashAndAnotherRule() {
        let code = link()
        #expect(bob.openInvite(code) == "ok")
        relay.crash()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(waiting(alice) == ["bob"] && object(alice)?.text("joining") == "ask")
        #expect(setJoining("ask", by: alice)?.flag("duplicate") == true)
        setJoining("open", by: alice)
        #expect(bob.request("invite.open", ["code": "\(code)"])?["conversation"]?.text("kind") == "group")
        #expect(waiting(alice) == [])
    }

    /// The user doesn't see that an admin has blocked it, nor an admin that the user has.
    @Test func blocksRevealNothing() {
        let worlds = ["", "alice", "bob"].map { blocker -> (bob: [String], alice: [String]) in
            let world = JoinRequestTests()
            let (alice, bob) = (world.alice, world.bob)
            #expect(bob.request("invite.open", ["code": "\(world.link())"])?.flag("waiting") == true)
            if blocker == "alice" { #expect(alice.outcome("contact.block", ["users": ["bob"]]) == "ok") }
            if blocker == "bob" { #expect(bob.outcome("contact.block", ["users": ["alice"]]) == "ok") }
            for client in [alice, bob] { client.forget() }
            #expect(world.waiting(alice) == ["bob"] && world.decide("accept", "bob", by: alice) == "ok")
            #expect(bob.frames("conversation").last?.text("event") == "added")
            let seen = [bob, alice].map { client in client.frames.map(\.shape) }
            return (seen[0], seen[1])
        }
        #expect(worlds[0].bob == worlds[1].bob && worlds[0].alice == worlds[2].alice)
    }

    @Test func whoIsBannedFindsNoLink() {
        let code = link()
        #expect(bob.openInvite(code) == "ok" && decide("accept", "bob", by: alice) == "ok")
        #expect(alice.outcome("conversation.ban", ["conversation": "\(group)", "user": "bob"]) == "ok")
        #expect(bob.openInvite(code) == "not_found" && waiting(alice) == [])
    }

    @Test func soManyWait() {
        let limits = Limits.with {
            $0.joinRequestsPerGroup = 2
            $0.joinRequestsPerUser = 1
        }
        let relay = RelayHarness(limits: limits)
        let alice = relay.connect("alice")
        _ = ["bob", "carol", "dave"].map { relay.connect($0) }
        let codes = (0..<2).map { number in
            let group = alice.makeGroup()
            _ = alice.request("conversation.joining", ["conversation": "\(group)", "joining": "ask"])
            return alice.makeInvite(["conversation": "\(group)", "uses": 9])
        }
        #expect(relay.connect("bob").openInvite(codes[0]) == "ok")
        #expect(relay.connect("bob").openInvite(codes[1]) == "too_large")
        #expect(relay.connect("carol").openInvite(codes[0]) == "ok")
        #expect(relay.connect("dave").openInvite(codes[0]) == "too_large")
    }

    @Test func soOftenAUserAsks() {
        let relay = RelayHarness(limits: Limits.with { $0.joinRequestsPerHour = 2 })
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup()
        _ = alice.request("conversation.joining", ["conversation": "\(group)", "joining": "ask"])
        let code = alice.makeInvite(["conversation": "\(group)", "uses": 9])
        for _ in 0..<2 {
            #expect(bob.openInvite(code) == "ok" && bob.openInvite(code) == "ok", "who waits already asks for nothing")
            #expect(alice.outcome("join.refuse", ["conversation": "\(group)", "user": "bob"]) == "ok")
        }
        #expect(bob.openInvite(code) == "rate_limited")
        relay.advance(1_800_000)
        #expect(relay.connect("bob").openInvite(code) == "ok")
    }
}
