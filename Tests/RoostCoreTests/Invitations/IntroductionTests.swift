import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// A service introduces a user who came by another one's link: the two are contacts, and their conversation is open.
@Suite struct IntroductionTests {
    private func introduce(_ user: String, to inviter: String, on relay: RelayHarness) -> JSONValue? {
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        return mill.request("admin.introduce", ["user": "\(user)", "inviter": "\(inviter)"])
    }

    private func opened(_ client: HarnessClient) -> [String] {
        client.frames("conversation").map { event in
            ["event", "by", "inviter"].compactMap { event.text($0) }.joined(separator: " ")
        }
    }

    @Test func bothAreContactsAndHaveAConversation() {
        let relay = RelayHarness.withContacts("friend")
        let (olivia, ben) = (relay.connect("olivia"), relay.connect("ben"))
        #expect(introduce("ben", to: "olivia", on: relay)?.outcome == "ok")
        relay.pause()
        #expect(opened(olivia) == ["created ben olivia"] && opened(ben) == ["created ben olivia"])
        #expect(olivia.contacts() == ["ben accepted friend"] && ben.contacts() == ["olivia accepted friend"])
        #expect(olivia.takeContacts() == ["ben accepted friend"])
        #expect(olivia.post("hi", to: "@ben")?.outcome == "ok")
    }

    /// It works without either having ever connected, and after a crash: both get the contact when they come.
    @Test func theyNeedNotBeThere() {
        let relay = RelayHarness.withContacts("friend")
        #expect(introduce("ben", to: "olivia", on: relay)?.outcome == "ok")
        relay.crash()
        let olivia = relay.connect("olivia")
        #expect(olivia.contacts() == ["ben accepted friend"])
        #expect(olivia.request("conversation.list")?.list("conversations").map { $0.list("members").count } == [2])
    }

    /// A device that was away gets the event when it comes back.
    @Test func aDeviceThatWasAwayIsToldByCatchUp() {
        let relay = RelayHarness.withContacts("friend")
        let olivia = relay.connect("olivia")
        _ = olivia.makeDirect("zoe")
        olivia.ackAll()
        olivia.drop()
        #expect(introduce("ben", to: "olivia", on: relay)?.outcome == "ok")
        #expect(opened(relay.connect("olivia")).last == "created ben olivia")
    }

    @Test func sayingItAgainChangesNothing() {
        let relay = RelayHarness.withContacts("friend")
        let olivia = relay.connect("olivia")
        let first = introduce("ben", to: "olivia", on: relay)
        olivia.forget()
        let second = introduce("ben", to: "olivia", on: relay)
        #expect(second?.flag("duplicate") == true)
        #expect(second?["conversation"]?.text("conversation") == first?["conversation"]?.text("conversation"))
        #expect(olivia.frames("conversation").isEmpty && olivia.takeContacts().isEmpty)
    }

    /// The gate keeps strangers apart, and these two aren't: one has made the link, the other has opened it.
    @Test func theGateLetsThem() {
        let relay = RelayHarness.withRequests()
        let (olivia, ben) = (relay.connect("olivia"), relay.connect("ben"))
        #expect(introduce("ben", to: "olivia", on: relay)?.outcome == "ok")
        #expect(olivia.post("hi", to: "@ben")?.outcome == "ok")
        #expect(ben.post("hello", to: "@olivia")?.outcome == "ok")
    }

    /// A request that waits between the two is accepted by it.
    @Test func aRequestIsAccepted() {
        let relay = RelayHarness.withRequests()
        let (olivia, ben) = (relay.connect("olivia"), relay.connect("ben"))
        let direct = ben.post("hello", to: "@olivia")?.text("conversation")
        for client in [olivia, ben] { client.forget() }
        #expect(introduce("ben", to: "olivia", on: relay)?.outcome == "ok")
        relay.pause()
        #expect(olivia.frames("conversation").map { $0.text("event") } == ["accepted"])
        #expect(olivia.request("conversation.list")?.list("conversations").map { $0.text("conversation") } == [direct])
    }

    /// In a kind with two words, the maker of the link is the first.
    @Test func theInviterIsTheTrainer() {
        let relay = RelayHarness.withContacts("trainer/client")
        #expect(introduce("carl", to: "tina", on: relay)?.outcome == "ok")
        #expect(relay.connect("tina").contacts() == ["carl accepted client"])
    }

    @Test func whoHasBlockedTheOtherStaysApart() {
        let relay = RelayHarness.withContacts("friend")
        let (olivia, ben) = (relay.connect("olivia"), relay.connect("ben"))
        #expect(olivia.outcome("contact.block", ["users": .list(["ben"])]) == "ok")
        #expect(introduce("ben", to: "olivia", on: relay)?.outcome == "blocked")
        #expect(introduce("olivia", to: "ben", on: relay)?.outcome == "blocked")
        #expect(olivia.contacts() == [] && ben.contacts() == [])
    }

    @Test func whatIsRefusedMakesNobody() {
        let relay = RelayHarness.withContacts("friend", limits: .with { $0.contactsPerUser = 1 })
        #expect(introduce("ben", to: "olivia", on: relay)?.outcome == "ok")
        #expect(introduce("carl", to: "olivia", on: relay)?.outcome == "too_large")
        #expect(relay.relay.directory.user(called: "carl") == nil)
        #expect(introduce("carl", to: "carl", on: relay)?.outcome == "bad_request")
        #expect(relay.connect("alice").outcome("admin.introduce", ["user": "b", "inviter": "c"]) == "forbidden")
    }

    @Test func whoHasLeftIsNotIntroduced() {
        let relay = RelayHarness.withContacts("friend")
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        relay.connect("olivia").drop()
        #expect(mill.outcome("admin.profile", ["user": "olivia", "deleted": true]) == "ok")
        #expect(introduce("ben", to: "olivia", on: relay)?.outcome == "gone")
        #expect(relay.relay.directory.user(called: "ben") == nil)
    }
}
