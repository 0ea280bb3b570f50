import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

extension HarnessClient {
    /// Makes an invitation, and returns its code.
    func makeInvite(_ members: Members = [:]) -> String {
        request("invite.create", members)?["invite"]?.text("code") ?? "none"
    }

    /// The outcome of opening one.
    func openInvite(_ code: String) -> String { outcome("invite.open", ["code": "\(code)"]) }

    /// The user's invitations: how often each was used, and how often it can be.
    func invites() -> [String] {
        request("invite.list")?.list("invites").map { invite in
            "\(invite.number("used") ?? -1)/\(invite.number("uses") ?? -1)"
        } ?? ["nothing"]
    }
}

extension JSONValue {
    /// Every member with the kind of its value, and the words that say what happens. Ids, numbers and times differ from
    /// user to user.
    var shape: String {
        if let members {
            let words: Set<String> = ["type", "event", "state", "kind", "inviter", "code", "role"]
            return members.map { member in
                member.name + ":" + (words.contains(member.name) ? member.value.string ?? "" : member.value.shape)
            }.joined(separator: " ")
        }
        guard let elements else { return string == nil ? "number" : "text" }
        return "[" + elements.map(\.shape).joined(separator: ", ") + "]"
    }
}

/// A link that a user makes: the user who opens it becomes a contact, or joins the group.
@Suite struct InviteTests {
    let relay = RelayHarness.withContacts("friend")
    let alice: HarnessClient
    let bob: HarnessClient

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
    }

    @Test func openingALinkMakesAContactAndAConversation() {
        let code = alice.makeInvite()
        #expect(code.utf8.count == 26)
        #expect(alice.invites() == ["0/1"])
        // For one person, and for a week, unless its maker says otherwise.
        let listed = alice.request("invite.list")?.list("invites").first
        #expect((listed?.number("expires") ?? 0) - (listed?.number("createdAt") ?? 0) == 7 * 86_400_000)
        alice.forget()
        let opened = bob.request("invite.open", ["code": "\(code)"])
        #expect(opened?["conversation"]?.text("kind") == "direct")
        relay.pause()
        #expect(alice.frames("conversation").map { $0.text("inviter") } == ["alice"])
        #expect(alice.contacts() == ["bob accepted friend"] && bob.contacts() == ["alice accepted friend"])
        // Once more leads there, and isn't counted.
        #expect(relay.connect("carol").openInvite(code) == "not_found")
        #expect(alice.invites() == [])
    }

    @Test func oneForAGroupBringsThere() {
        let group = alice.makeGroup("dave")
        let code = alice.makeInvite(["conversation": "\(group)", "uses": 2])
        alice.forget()
        #expect(bob.request("invite.open", ["code": "\(code)"])?["conversation"]?.text("conversation") == group)
        let told = alice.frames("conversation").first
        #expect(told?.text("event") == "added" && told?.text("by") == "bob" && told?.text("inviter") == "alice")
        // A member is taken there, also by a link that is used up.
        #expect(bob.request("invite.open", ["code": "\(code)"])?.flag("duplicate") == true)
        #expect(alice.invites() == ["1/2"])
        #expect(bob.post("hello", to: group)?.outcome == "ok")
        #expect(alice.contacts() == [])
    }

    /// A link to the group is like an invalid one to a banned user, also when it is tried too often.
    @Test func aBanHolds() {
        let group = alice.makeGroup("bob")
        let code = alice.makeInvite(["conversation": "\(group)", "uses": 5])
        #expect(alice.outcome("conversation.ban", ["conversation": "\(group)", "user": "bob"]) == "ok")
        #expect(bob.openInvite(code) == "not_found" && bob.openInvite("none") == "not_found")
        let texts = [code, "none"].map { bob.request("invite.show", ["code": "\($0)"])?.text("reason") }
        #expect(texts[0] != nil && texts[0] == texts[1])
        for _ in 0..<Limits().inviteGuessesPerHour { _ = bob.openInvite(code) }
        #expect(bob.openInvite(code) == "rate_limited" && bob.openInvite("none") == "rate_limited")
        #expect(alice.invites() == ["0/5"])
        #expect(alice.outcome("conversation.unban", ["conversation": "\(group)", "user": "bob"]) == "ok")
        #expect(bob.openInvite(code) == "ok")
    }

    @Test func onlyOwnerAndAdminsInviteToAGroup() {
        let group = alice.makeGroup("bob", "carol")
        #expect(bob.outcome("invite.create", ["conversation": "\(group)"]) == "forbidden")
        #expect(relay.connect("eve").outcome("invite.create", ["conversation": "\(group)"]) == "not_found")
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "admin"])
        let code = bob.makeInvite(["conversation": "\(group)"])
        // A former admin can't invite.
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "member"])
        #expect(relay.connect("eve").openInvite(code) == "not_found")
        #expect(bob.invites() == [])
        #expect(bob.outcome("invite.create", ["conversation": "@alice"]) == "not_found")
        _ = bob.makeDirect("alice")
        #expect(bob.outcome("invite.create", ["conversation": "@alice"]) == "conflict")
    }

    /// A code that was never made, one that was used up, revoked or has ended, and one of a user who has left or was
    /// shut out: a stranger can't distinguish them.
    @Test func whatCannotBeUsedIsAllTheSame() {
        let (used, revoked, ended) = (alice.makeInvite(), alice.makeInvite(), alice.makeInvite(["after": 1_000]))
        #expect(bob.openInvite(used) == "ok")
        let id = alice.request("invite.list")?.list("invites").first?.text("invite") ?? ""
        #expect(alice.outcome("invite.revoke", ["invite": "\(id)"]) == "ok")
        relay.advance(1_001)
        let eve = relay.connect("eve")
        let shut = eve.makeInvite()
        let left = relay.connect("zoe").makeInvite()
        let (mill, olga) = (relay.open(), relay.open())
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        olga.send(#"{"type":"hello","id":0,"token":"admin:olga","operator":true}"#)
        #expect(olga.outcome("admin.revoke", ["user": "eve"]) == "ok")
        #expect(mill.outcome("admin.profile", ["user": "zoe", "deleted": true]) == "ok")
        relay.pause()
        let carol = relay.connect("carol")
        var answers: Set<String> = []
        for code in [used, revoked, ended, shut, left, "abcdefghijklmnopqrstuvwxyz"] {
            for type in ["invite.open", "invite.show"] {
                let told = carol.request(type, ["code": "\(code)"])
                answers.insert("\(told?.text("code") ?? "ok") \(told?.text("reason") ?? "")")
            }
            #expect(mill.outcome("admin.invite", ["code": "\(code)"]) == "not_found")
        }
        #expect(answers.count == 1 && answers.first?.hasPrefix("not_found") == true)
    }

    /// A stranger learns what the maker and the group are called, and nothing else.
    @Test func aStrangerIsToldTwoNames() {
        _ = alice.request("profile.set", ["name": "Alice Ardent", "username": "alice.a", "bio": "Hi"])
        let group = alice.makeGroup("dave", name: "The Crew")
        let code = alice.makeInvite(["conversation": "\(group)"])
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        for told in [
            bob.request("invite.show", ["code": "\(code)"]), mill.request("admin.invite", ["code": "\(code)"]),
        ] {
            #expect(told?["invitation"]?.text("name") == "Alice Ardent")
            #expect(told?["invitation"]?.text("group") == "The Crew")
            #expect(told?["invitation"]?.members?.count == 2)
        }
    }

    @Test func onlyAHashIsStored() {
        let code = alice.makeInvite()
        let stored = relay.log.load().invites.map(\.stored)
        #expect(stored.map(\.hash) == [SHA256Hash.hash(Array(code.utf8))])
        #expect(!"\(stored)".contains(code))
        relay.crash()
        #expect(relay.connect("bob").openInvite(code) == "ok")
        #expect(relay.connect("alice").contacts() == ["bob accepted friend"])
    }

    /// A user blocked by the maker gets what others get, and the maker sees nothing of it.
    @Test func aBlockIsNeitherPassedNorBetrayed() {
        let carol = relay.connect("carol")
        let (one, other) = (alice.makeInvite(), alice.makeInvite())
        #expect(alice.outcome("contact.block", ["users": .list(["bob"])]) == "ok")
        alice.forget()
        func frames(_ client: HarnessClient, _ code: String) -> [String] {
            client.forget()
            _ = client.request("invite.open", ["code": "\(code)"])
            relay.pause()
            // A user who has blocked another looks offline to that one, as everywhere.
            return client.frames.filter { $0.text("type") != "presence" }.map(\.shape)
        }
        #expect(frames(bob, one).sorted() == frames(carol, other).sorted())
        #expect(bob.contacts() == carol.contacts() && bob.contacts() == ["alice accepted friend"])
        #expect(alice.contacts() == ["carol accepted friend"])
        let listed = alice.request("conversation.list")?.list("conversations").count
        #expect(listed == 1)
        #expect(alice.invites() == [])
        relay.crash()
        #expect(relay.connect("bob").contacts() == ["alice accepted friend"])
        #expect(relay.connect("alice").contacts() == ["carol accepted friend"])
    }

    /// A user who has followed a link behind a block stays a contact in its own eyes when it invites the maker, who has
    /// removed the block: another state would reveal the block.
    @Test func aUserWhoFollowedALinkBehindABlockStaysAContact() {
        let code = alice.makeInvite()
        #expect(alice.outcome("contact.block", ["users": .list(["bob"])]) == "ok")
        #expect(bob.openInvite(code) == "ok")
        #expect(bob.outcome("contact.invite", ["user": "alice"]) == "ok")
        #expect(bob.contacts() == ["alice accepted friend"] && alice.contacts() == [])
        #expect(alice.outcome("contact.unblock", ["users": .list(["bob"])]) == "ok")
        #expect(bob.outcome("contact.invite", ["user": "alice"]) == "ok")
        #expect(bob.contacts() == ["alice accepted friend"] && alice.contacts() == ["bob accepted friend"])
    }

    /// A use that the store had no room for isn't counted, and the second try is counted once.
    @Test func whatIsNotStoredIsNotCounted() {
        let code = alice.makeInvite(["conversation": "\(alice.makeGroup())"])
        relay.holdsCommits = true
        bob.send(#"{"type":"invite.open","id":1,"code":"\#(code)"}"#)
        relay.fillDisk()
        #expect(bob.frames.last?.text("code") == "unavailable")
        relay.holdsCommits = false
        relay.makeRoom()
        #expect(alice.invites() == ["0/1"])
        #expect(bob.openInvite(code) == "ok")
        #expect(alice.invites() == [])
        relay.crash()
        #expect(relay.log.load().invites.map(\.stored.used) == [1])
    }

    @Test func oneForAGroupThatEndsMeanwhileIsStillOneForTheGroup() {
        let group = alice.makeGroup()
        relay.holdsCommits = true
        alice.send(#"{"type":"invite.create","id":900,"conversation":"\#(group)"}"#)
        alice.send(#"{"type":"conversation.leave","id":901,"conversation":"\#(group)"}"#)
        relay.holdsCommits = false
        relay.settle()
        let invite = alice.frames.first { $0.number("re") == 900 }?["invite"]
        #expect(invite?.text("conversation") == group)
        #expect(invite?.text("kind") == nil)
    }

    @Test func whoHasBlockedTheMakerIsToldSo() {
        let code = alice.makeInvite()
        #expect(bob.outcome("contact.block", ["users": .list(["alice"])]) == "ok")
        #expect(bob.openInvite(code) == "blocked")
        #expect(alice.openInvite(code) == "bad_request")
        #expect(alice.invites() == ["0/1"])
    }

    /// The gate decides who may be put into a group; a link is no way around it.
    @Test func aGroupLinkDoesNotPassTheGate() {
        let relay = RelayHarness.withRequests()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let code = alice.makeInvite(["conversation": "\(alice.makeGroup())", "uses": 5])
        #expect(bob.openInvite(code) == "no_relationship")
        // To become a contact is what the gate wants.
        #expect(bob.openInvite(alice.makeInvite()) == "ok")
        #expect(bob.openInvite(code) == "ok")
    }

    @Test func thereAreBounds() {
        let relay = RelayHarness.withContacts(
            "friend",
            limits: .with {
                $0.invitesPerUser = 2
                $0.invitesPerHour = 3
                $0.inviteGuessesPerHour = 2
            })
        let alice = relay.connect("alice")
        for _ in 0..<2 { _ = alice.makeInvite() }
        #expect(alice.outcome("invite.create") == "too_large")
        for invite in alice.request("invite.list")?.list("invites") ?? [] {
            _ = alice.request("invite.revoke", ["invite": "\(invite.text("invite") ?? "")"])
        }
        #expect(alice.outcome("invite.create") == "ok")
        #expect(alice.outcome("invite.create") == "rate_limited")
        let bob = relay.connect("bob")
        #expect(
            (0..<4).map { bob.openInvite("guess\($0)") } == ["not_found", "not_found", "rate_limited", "rate_limited"])
        for members: Members in [["uses": 0], ["uses": 1_001], ["after": 0], ["after": 2_592_000_001]] {
            #expect(alice.outcome("invite.create", members) == "bad_request")
        }
    }

    /// A backend makes and opens them for its users, who needn't have come yet.
    @Test func aServiceDoesItForOthers() {
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        let made = mill.request("invite.create", ["as": "shop", "uses": 3])
        let code = made?["invite"]?.text("code") ?? ""
        #expect(mill.outcome("invite.open", ["as": "ivy", "code": "\(code)"]) == "ok")
        #expect(mill.request("invite.list", ["as": "shop"])?.list("invites").map { $0.number("used") } == [1])
        #expect(mill.outcome("invite.open", ["as": "yves", "code": "none"]) == "not_found")
        #expect(relay.relay.directory.user(called: "yves") == nil)
        #expect(relay.connect("shop").contacts() == ["ivy accepted friend"])
    }
}
