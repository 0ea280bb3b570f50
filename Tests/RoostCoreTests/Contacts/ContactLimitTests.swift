import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Limits of contacts: exactly at each, and one above it. A refused command makes no user.
@Suite struct ContactLimitTests {
    private func accept(_ user: String, by client: HarnessClient, _ relay: RelayHarness) -> String {
        let other = relay.connect(user)
        defer { other.drop() }
        guard client.contact("invite", user) == "ok" else { return "refused" }
        return other.contact("accept", client.session.userName ?? "")
    }

    @Test func aUserHasAtMostContactsPerUser() {
        let relay = RelayHarness(limits: .with { $0.contactsPerUser = 3 })
        let alice = relay.connect("alice")
        #expect(accept("u1", by: alice, relay) == "ok" && accept("u2", by: alice, relay) == "ok")
        #expect(alice.contact("invite", "u3") == "ok")
        #expect(alice.contact("invite", "u4") == "too_large")
        relay.pause()
        #expect(!relay.log.load().users.contains { $0.name == "u4" })
        // Others' invitations don't count until she accepts.
        #expect(relay.connect("u5").contact("invite", "alice") == "ok")
        #expect(alice.contact("accept", "u5") == "too_large" && alice.contact("invite", "u5") == "too_large")
        #expect(alice.contact("remove", "u1") == "ok" && alice.contact("accept", "u5") == "ok")
        #expect(alice.contacts() == ["u2 accepted friend", "u3 sent friend", "u5 accepted friend"])
    }

    @Test func aUserHasAtMostInvitationsSentUnanswered() {
        let relay = RelayHarness(limits: .with { $0.invitationsSent = 2 })
        let alice = relay.connect("alice")
        #expect(alice.contact("invite", "u1") == "ok" && alice.contact("invite", "u2") == "ok")
        #expect(alice.contact("invite", "u3") == "too_large")
        // One more label is no invitation.
        #expect(alice.contact("invite", "u2", ("label", "x")) == "ok")
        #expect(relay.connect("u1").contact("decline", "alice") == "ok")
        #expect(alice.contact("invite", "u3") == "ok")
        #expect(relay.connect("u2").contact("accept", "alice") == "ok")
        #expect(alice.contact("invite", "u4") == "ok")
    }

    /// However many strangers invite a user, it can invite and accept, and a user that it has written to can invite it.
    @Test func strangersCannotFillAUsersList() {
        let relay = RelayHarness(limits: .with { $0.invitationsReceived = 2 })
        let alice = relay.connect("alice")
        #expect(relay.connect("u1").contact("invite", "alice") == "ok")
        #expect(relay.connect("u2").contact("invite", "alice") == "ok")
        let third = relay.connect("u3")
        #expect(third.contact("invite", "alice") == "too_large")
        // To write to her isn't enough.
        third.post("hello", to: "@alice")
        #expect(third.contact("invite", "alice") == "too_large")
        alice.post("who?", to: "@u3")
        #expect(third.contact("invite", "alice") == "ok")
        #expect(alice.contact("invite", "u4") == "ok" && relay.connect("u4").contact("accept", "alice") == "ok")
        #expect(alice.contacts("accepted") == ["u4 accepted friend"] && alice.contacts("received").count == 3)
        #expect(alice.contact("decline", "u1") == "ok" && alice.contact("decline", "u2") == "ok")
        #expect(relay.connect("u5").contact("invite", "alice") == "ok")
    }

    @Test func aUserSendsAtMostInvitationsPerHour() {
        let relay = RelayHarness(limits: .with { $0.invitationsPerHour = 2 })
        let alice = relay.connect("alice")
        for user in ["u1", "u2"] {
            #expect(alice.contact("invite", user) == "ok" && alice.contact("remove", user) == "ok")
        }
        let refused = alice.request("contact.invite", ["user": "u3"])
        #expect(refused?.outcome == "rate_limited" && refused?.number("retryAfter") == 1_800_000)
        relay.pause()
        #expect(relay.log.load().users.map(\.name) == ["alice"])
        relay.advance(1_800_000)
        #expect(relay.connect("alice").contact("invite", "u3") == "ok")
    }

    @Test func unknownUsersCountAsElsewhere() {
        let relay = RelayHarness(limits: .with { $0.introductionsPerHour = 1 })
        let alice = relay.connect("alice")
        _ = relay.connect("bob")
        #expect(alice.contact("invite", "u1") == "ok" && alice.contact("invite", "u2") == "rate_limited")
        #expect(alice.contact("invite", "bob") == "ok")
    }

    @Test func textsAndPagesHaveBounds() {
        let relay = RelayHarness(
            limits: .with {
                $0.labelBytes = 4
                $0.noteBytes = 6
                $0.contactsMax = 20
            })
        let alice = relay.connect("alice")
        #expect(alice.contact("invite", "bob", ("label", "abcd")) == "ok")
        #expect(alice.contact("invite", "bob", ("label", "abcde")) == "too_large")
        #expect(alice.outcome("prospect.set", ["name": "abcd", "note": "abcdef"]) == "ok")
        #expect(alice.outcome("prospect.set", ["name": "abcde"]) == "too_large")
        #expect(alice.outcome("prospect.set", ["name": "abcd", "note": "abcdefg"]) == "too_large")
        #expect(alice.outcome("contact.list", ["limit": 20]) == "ok")
        #expect(alice.outcome("contact.list", ["limit": 21]) == "bad_request")
        #expect(alice.outcome("prospect.list", ["limit": 20]) == "ok")
        #expect(alice.outcome("prospect.list", ["limit": 21]) == "bad_request")
        #expect(alice.outcome("contact.list", ["state": "none"]) == "bad_request")
    }

    @Test func aPageEndsWhereTheNextBeginsWhateverGoesInBetween() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        for number in 1...7 { #expect(alice.contact("invite", "u\(number)") == "ok") }
        #expect(relay.connect("u3").contact("accept", "alice") == "ok")
        let first = alice.request("contact.list", ["limit": 3])
        #expect(first?.list("contacts").compactMap { $0.text("user") } == ["u1", "u2", "u3"])
        #expect(first?.text("next") == "u3")
        // Also if it is the one where the page ended.
        for user in ["u3", "u1", "u4"] { #expect(alice.contact("remove", user) == "ok") }
        let second = alice.request("contact.list", ["limit": 2, "after": "u3"])
        #expect(second?.list("contacts").compactMap { $0.text("user") } == ["u5", "u6"])
        let third = alice.request("contact.list", ["limit": 2, "after": "u6", "state": "sent"])
        #expect(third?.list("contacts").compactMap { $0.text("user") } == ["u7"] && third?["next"] == nil)
    }

    @Test func aPageEndsEarlyWhenItsBytesAreMany() {
        let relay = RelayHarness(limits: .with { $0.pageBytes = 300 })
        let alice = relay.connect("alice")
        for number in 1...6 { #expect(alice.contact("invite", "u\(number)", ("label", "0123456789")) == "ok") }
        var (seen, after): ([String], String?) = ([], nil)
        repeat {
            let page =
                after.map { alice.request("contact.list", ["after": "\($0)"]) }
                ?? alice.request("contact.list")
            #expect((page?.list("contacts").count ?? 0) < 6)
            seen += page?.list("contacts").compactMap { $0.text("user") } ?? []
            after = page?.text("next")
        } while after != nil && seen.count < 20
        #expect(seen == (1...6).map { "u\($0)" })
    }
}
