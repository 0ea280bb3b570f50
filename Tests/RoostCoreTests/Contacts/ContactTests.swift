import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

extension RelayHarness {
    /// A relay on which users can be friends, and trainers can have clients.
    static func withContacts(_ kinds: String..., limits: Limits = Limits()) -> RelayHarness {
        var rules = PolicyRules()
        rules.contactKinds = (kinds.isEmpty ? ["friend", "trainer/client"] : kinds).map(ContactKind.init)
        return RelayHarness(limits: limits, rules: rules)
    }
}

extension HarnessClient {
    /// The outcome of a command about another user.
    func contact(_ verb: String, _ user: String, _ members: (String, String)...) -> String {
        let more = members.map { ",\"\($0)\":\"\($1)\"" }.joined()
        return ask(#"{"type":"contact.\#(verb)","id":1,"user":"\#(user)"\#(more)}"#)?.outcome ?? "nothing"
    }

    /// The contacts in the user's list, each in a few words.
    func contacts(_ state: String? = nil) -> [String] {
        let frame = state.map { request("contact.list", ["state": "\($0)"]) } ?? request("contact.list")
        return frame?.list("contacts").map(\.contact) ?? ["nothing"]
    }

    /// The events about contacts that arrived since the last call, each in a few words.
    func takeContacts() -> [String] { take().filter { $0.text("type") == "contact" }.map(\.contact) }
}

extension JSONValue {
    /// A contact in a few words.
    var contact: String {
        [text("user"), text("state"), text("kind"), text("label")].compactMap { $0 }.joined(separator: " ")
    }
}

/// Two users become contacts when one invites and the other accepts. Both get the event, and each sees the other.
@Suite struct ContactTests {
    @Test func anInvitationIsSeenByBothAndAcceptedByTheOther() {
        let relay = RelayHarness.withContacts()
        let (alice, tablet, bob) = (relay.connect("alice"), relay.connect("alice", "tablet"), relay.connect("bob"))
        #expect(alice.contact("invite", "bob") == "ok")
        #expect(alice.contacts() == ["bob sent friend"])
        #expect(bob.contacts() == ["alice received friend"])
        #expect(bob.contacts("accepted") == [] && bob.contacts("received") == ["alice received friend"])
        #expect(bob.contact("accept", "alice") == "ok")
        #expect(alice.contacts("accepted") == ["bob accepted friend"] && alice.contacts("sent") == [])
        #expect(bob.contacts() == ["alice accepted friend"])
        #expect(tablet.takeContacts() == ["bob sent friend", "bob accepted friend"])
        #expect(bob.takeContacts() == ["alice received friend", "alice accepted friend"])
        #expect(alice.contact("remove", "bob") == "ok")
        #expect(tablet.takeContacts() == ["bob none"] && bob.takeContacts() == ["alice none"])
        #expect(alice.contacts() == [] && bob.contacts() == [])
    }

    /// No note about a user who has left for good remains, also after a crash.
    @Test func aUserWhoHasLeftHasNoContacts() {
        let relay = RelayHarness.withContacts()
        let (alice, bob, mill) = (relay.connect("alice"), relay.connect("bob"), relay.open())
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        _ = alice.request("profile.set", ["name": "Alice"])
        _ = alice.contact("invite", "bob", ("label", "knee"))
        _ = bob.contact("accept", "alice", ("label", "kind"))
        _ = alice.contact("invite", "zoe", ("label", "later"))
        _ = alice.request("prospect.set", ["name": "Zoë", "note": "asked"])
        _ = alice.request("status", ["text": "At the lake"])
        _ = bob.takeContacts()
        #expect(mill.outcome("admin.profile", ["user": "alice", "deleted": true]) == "ok")
        relay.advance(1_000)
        #expect(bob.takeContacts() == ["alice none"])
        for isRestarted in [false, true] {
            if isRestarted { relay.crash() }
            #expect(relay.connect("bob").contacts() == [])
            #expect(relay.relay.directory.user(called: "alice")?.contacts.isEmpty == true)
            #expect(relay.relay.directory.user(called: "alice")?.presence.status == StoredStatus())
            #expect(relay.relay.directory.user(called: "zoe") == nil)
        }
    }

    @Test func invitingTheInviterAccepts() {
        let relay = RelayHarness.withContacts()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(alice.contact("invite", "bob", ("kind", "client")) == "ok")
        #expect(bob.contact("invite", "alice", ("kind", "friend")) == "conflict")
        #expect(bob.contacts() == ["alice received trainer"])
        #expect(bob.contact("invite", "alice") == "ok")
        #expect(bob.contacts() == ["alice accepted trainer"])
    }

    /// A user is listed as a client only with its own consent (and only the invited one can give it).
    @Test func aClientAcceptsBeforeBeingListedAsOne() {
        let relay = RelayHarness.withContacts()
        let (trainer, client) = (relay.connect("tina"), relay.connect("carl"))
        #expect(trainer.contact("invite", "carl", ("kind", "client")) == "ok")
        #expect(trainer.contact("accept", "carl") == "not_found")
        #expect(trainer.contact("invite", "carl", ("kind", "client")) == "ok")
        #expect(trainer.contacts("accepted") == [])
        #expect(client.contact("accept", "tina") == "ok")
        #expect(trainer.contacts("accepted") == ["carl accepted client"])
        #expect(client.contacts("accepted") == ["tina accepted trainer"])
    }

    @Test func aClientMayInviteItsTrainer() {
        let relay = RelayHarness.withContacts()
        let (trainer, client) = (relay.connect("tina"), relay.connect("carl"))
        #expect(client.contact("invite", "tina", ("kind", "trainer")) == "ok")
        #expect(trainer.contact("accept", "carl") == "ok")
        #expect(trainer.contacts() == ["carl accepted client"])
    }

    @Test func theLabelIsItsOwnersAlone() {
        let relay = RelayHarness.withContacts()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(alice.contact("invite", "bob", ("label", "from work")) == "ok")
        #expect(bob.contact("accept", "alice", ("label", "boss")) == "ok")
        _ = (alice.take(), bob.take())
        #expect(alice.contact("invite", "bob", ("label", "old friend")) == "ok")
        #expect(alice.takeContacts() == ["bob accepted friend old friend"])
        #expect(bob.takeContacts() == [])
        #expect(bob.contacts() == ["alice accepted friend boss"])
        #expect(bob.contact("accept", "alice", ("label", "")) == "ok")
        #expect(bob.contacts() == ["alice accepted friend"] && alice.contacts() == ["bob accepted friend old friend"])
    }

    @Test func aDecliningUserCanBeInvitedAgain() {
        let relay = RelayHarness.withContacts()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(alice.contact("invite", "bob") == "ok")
        #expect(bob.contact("decline", "alice") == "ok" && bob.contact("decline", "alice") == "ok")
        #expect(alice.takeContacts() == ["bob sent friend", "bob none"])
        #expect(bob.contact("accept", "alice") == "not_found")
        #expect(alice.contact("invite", "bob") == "ok" && bob.contact("accept", "alice") == "ok")
        // It was something else that was to be declined.
        #expect(bob.contact("decline", "alice") == "conflict")
        #expect(bob.contacts() == ["alice accepted friend"])
    }

    /// A retry changes nothing and sends nothing.
    @Test func onesOwnInvitationIsRemovedAndNotDeclined() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        #expect(alice.contact("invite", "bob") == "ok")
        #expect(alice.contact("decline", "bob") == "conflict")
        #expect(alice.contacts() == ["bob sent friend"])
    }

    @Test func aBlockedUserAcceptsAsEverAndTheBlockerGetsNothing() {
        let relay = RelayHarness()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(alice.contact("invite", "bob") == "ok")
        #expect(alice.outcome("contact.block", ["users": ["bob"]]) == "ok")
        alice.forget()
        #expect(bob.contact("accept", "alice") == "ok")
        #expect(bob.contact("invite", "alice") == "ok")
        #expect(bob.contacts() == ["alice accepted friend"])
        #expect(alice.frames("contact").isEmpty)
    }

    @Test func aContactLastsSinceItWasAccepted() {
        let relay = RelayHarness()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        func since() -> Int64 { alice.request("contact.list")?.list("contacts").first?.number("since") ?? 0 }
        #expect(alice.contact("invite", "bob") == "ok")
        let invited = since()
        relay.advance(3_000)
        #expect(bob.contact("accept", "alice") == "ok")
        #expect(since() - invited == 3_000)
        relay.advance(3_000)
        // A label changes nothing of it.
        #expect(alice.contact("invite", "bob", ("label", "x")) == "ok")
        #expect(since() - invited == 3_000)
    }

    @Test func repetitionsChangeNothing() {
        let relay = RelayHarness.withContacts()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        for _ in 0..<2 { #expect(alice.contact("invite", "bob", ("label", "x")) == "ok") }
        for _ in 0..<2 { #expect(bob.contact("accept", "alice") == "ok") }
        for _ in 0..<2 { #expect(alice.contact("remove", "bob") == "ok") }
        #expect(bob.takeContacts() == ["alice received friend", "alice accepted friend", "alice none"])
    }

    @Test func aKindIsOneThatTheRelayHas() {
        let relay = RelayHarness.withContacts("trainer/client", "friend")
        let alice = relay.connect("alice")
        #expect(alice.contact("invite", "bob", ("kind", "boss")) == "bad_request")
        // Which of the two would it be?
        #expect(alice.contact("invite", "bob") == "bad_request")
        #expect(alice.contact("invite", "bob", ("kind", "friend")) == "ok")
        #expect(alice.contact("invite", "bob", ("kind", "client")) == "conflict")
        #expect(alice.contact("invite", "alice", ("kind", "friend")) == "bad_request")
        relay.relay.rules.contactKinds = []
        #expect(alice.contact("invite", "carol") == "bad_request")
        // The agreed kind stays.
        #expect(alice.contacts() == ["bob sent friend"])
        #expect(relay.connect("bob").contact("accept", "alice") == "ok")
    }

    @Test func aNewUserCanBeInvitedAndIsForgottenIfItNeverComes() {
        let relay = RelayHarness.withContacts()
        let alice = relay.connect("alice")
        #expect(alice.contact("invite", "bob") == "ok")
        relay.pause()
        #expect(relay.connect("bob").contacts() == ["alice received friend"])
        #expect(alice.contact("invite", "carol") == "ok" && alice.contact("remove", "carol") == "ok")
        #expect(alice.contact("remove", "dave") == "ok" && alice.contact("decline", "dave") == "ok")
        relay.pause()
        #expect(relay.log.load().users.map(\.name) == ["alice", "bob"])
        #expect(relay.log.load().contacts.count == 1)
    }

    @Test func contactsOutliveARestart() {
        let relay = RelayHarness.withContacts()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(alice.contact("invite", "bob", ("kind", "client"), ("label", "knee")) == "ok")
        #expect(bob.contact("invite", "carol") == "ok" && bob.contact("accept", "alice") == "ok")
        relay.crash()
        #expect(relay.connect("alice").contacts() == ["bob accepted client knee"])
        let again = relay.connect("bob")
        #expect(again.contacts() == ["alice accepted trainer", "carol sent friend"])
        #expect(again.contact("remove", "carol") == "ok")
        relay.crash()
        #expect(relay.connect("bob").contacts() == ["alice accepted trainer"])
    }

    @Test func aSlowDeviceIsToldTheNewestState() {
        let relay = RelayHarness.withContacts(limits: .with { $0.outboxCalmBytes = 4_096 })
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup("bob")
        relay.pause()
        bob.forget()
        bob.isReading = false
        let text = String(repeating: "x", count: 400)
        for number in 0..<20 { _ = alice.request("send", ["to": "\(group)", "key": "k\(number)", "body": "\(text)"]) }
        #expect(alice.contact("invite", "bob") == "ok" && alice.contact("remove", "bob") == "ok")
        #expect(alice.contact("invite", "bob") == "ok" && relay.connect("carol").contact("invite", "bob") == "ok")
        bob.isReading = true
        relay.settle()
        #expect(bob.takeContacts() == ["alice received friend", "carol received friend"])
    }

    @Test func contactsAreFoundAndShown() {
        let relay = RelayHarness.withContacts()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(bob.outcome("profile.set", ["name": "Robert"]) == "ok")
        let find = { alice.request("user.find", ["prefix": "rob"])?.list("profiles").compactMap { $0.text("user") } }
        #expect(alice.contact("invite", "bob") == "ok")
        #expect(find() == [])
        #expect(bob.contact("accept", "alice") == "ok")
        #expect(find() == ["bob"])
        #expect(alice.request("user.get", ["users": ["bob"]])?.list("profiles").first?.text("name") == "Robert")
        #expect(bob.contact("remove", "alice") == "ok")
        #expect(find() == [])
    }

    @Test func aServiceActsForBoth() {
        let relay = RelayHarness.withContacts()
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        #expect(mill.outcome("contact.invite", ["as": "tina", "user": "carl", "kind": "client"]) == "ok")
        #expect(mill.outcome("contact.accept", ["as": "carl", "user": "tina"]) == "ok")
        let list = mill.request("contact.list", ["as": "tina"])?.list("contacts").map(\.contact)
        #expect(list == ["carl accepted client"])
        #expect(mill.outcome("contact.list") == "forbidden")
        #expect(mill.outcome("contact.accept", ["as": "nobody", "user": "tina"]) == "not_found")
        #expect(mill.outcome("contact.invite", ["as": "nobody", "user": "nobody"]) == "bad_request")
        relay.pause()
        #expect(relay.log.load().users.map(\.name) == ["tina", "carl"])
    }
}
