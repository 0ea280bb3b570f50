import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// Names, contacts and blocks, as an app sees them.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct PeopleTests {
    private let relay = TestRelay()

    // Alice and bob, who have talked.
    private func pair() async throws -> (Roost, Roost, ConversationTimeline, ConversationTimeline) {
        let (alice, bob) = (
            try await Device("alice", on: relay).online(), try await Device("bob", on: relay).online()
        )
        let writing = try await alice.timeline(with: "@bob")
        try await writing.send("hi")
        let reading = try await bob.timeline(with: "@alice")
        await reading.until { $0.texts == ["hi"] }
        return (alice, bob, writing, reading)
    }

    // MARK: Names

    @Test func aNameIsShownAsSoonAsItIsSet() async throws {
        let (alice, bob, _, _) = try await pair()
        #expect(bob.people.name(of: "alice") == "alice")
        try await alice.people.setProfile(name: "Alice Ardent", username: "alice.a")
        await bob.people.until { $0["alice"]?.name == "Alice Ardent" }
        await bob.conversations.until { $0.map(\.title) == ["Alice Ardent"] }
        #expect(bob.person("alice").name == "Alice Ardent" && bob.conversations.rows.first?.peer == "alice")
        await alice.people.until { $0["alice"]?.username == "alice.a" }
        #expect(try await bob.people.find("ard").profiles.map(\.user) == ["alice"])
    }

    @Test func aNameThatChangedMeanwhileIsAskedFor() async throws {
        let device = try Device("bob", on: relay)
        let alice = try await Device("alice", on: relay).online()
        let writing = try await alice.timeline(with: "@bob")
        try await writing.send("hi")
        try await alice.people.setProfile(name: "Alice")
        var bob: Roost? = try await device.online()
        await bob?.conversations.until { $0.map(\.title) == ["Alice"] }
        await bob?.disconnect()
        bob = nil
        try await alice.people.setProfile(name: "Alice Ardent")
        let again = try await device.start()
        await again.conversations.until { $0.map(\.title) == ["Alice"] }
        await again.connect()
        await again.conversations.until { $0.map(\.title) == ["Alice Ardent"] }
    }

    @Test func aProfileChangesOnlyFromTheVersionThatWasSeen() async throws {
        let alice = try await Device("alice", on: relay).online()
        try await alice.people.setProfile(name: "Alice", ifVersion: 0)
        await #expect(throws: RoostFailure.self) {
            try await alice.people.setProfile(name: "Alicia", ifVersion: 0)
        }
        #expect(try await alice.people.profile(of: "alice")?.name == "Alice")
    }

    // MARK: Contacts

    @Test func contactsAreThereAtAStartWithoutANetwork() async throws {
        let device = try Device("alice", on: relay)
        var alice: Roost? = try await device.online()
        let bob = try await Device("bob", on: relay).online()
        try await alice?.contacts.invite("bob", label: "from work")
        try await bob.contacts.accept("alice")
        try await alice?.contacts.load()
        await alice?.contacts.until { $0.contacts(.accepted).map(\.user) == ["bob"] }
        await alice?.disconnect()
        alice = nil
        let again = try await device.start()
        #expect(again.contacts.snapshot.contacts == [])
        await #expect(throws: RoostFailure.self) { try await again.contacts.load() }
        #expect(again.contacts.snapshot.contacts.map(\.label) == ["from work"])
        #expect(!again.contacts.snapshot.isComplete)
        // Changes meanwhile are asked for.
        try await bob.contacts.remove("alice")
        await again.connect()
        await again.contacts.until { $0.isComplete && $0.contacts.isEmpty }
    }

    @Test func prospectsAreWrittenDownAndRemoved() async throws {
        let alice = try await Device("alice", on: relay).online()
        let zoe = try await alice.contacts.setProspect(name: "Zoë", note: "asked about Tuesdays")
        let max = try await alice.contacts.setProspect(name: "Max")
        try await alice.contacts.setProspect(zoe.id, name: "Zoë K.")
        let all = try await alice.contacts.prospects()
        #expect(Set(all.map(\.name)) == ["Zoë K.", "Max"])
        #expect(all.first { $0.id == zoe.id }?.note == "asked about Tuesdays")
        try await alice.contacts.removeProspect(max.id)
        #expect(try await alice.contacts.prospects().map(\.id) == [zoe.id])
    }

    @Test func aGroupIsDescribed() async throws {
        let alice = try await Device("alice", on: relay).online()
        let group = try await alice.createGroup("Crew", members: ["bob"])
        try await alice.describeGroup(group, photo: "files/crew.jpg", description: "Who sails on Sunday")
        let summary = try await alice.client.conversation(group)
        #expect(summary.photo == "files/crew.jpg" && summary.description == "Who sails on Sunday")
    }

    @Test func anInvitationIsAcceptedAndEnds() async throws {
        let (alice, bob, _, _) = try await pair()
        try await alice.contacts.load()
        try await bob.contacts.load()
        await bob.contacts.until { $0.isComplete }
        try await alice.contacts.invite("bob", label: "from work")
        await alice.contacts.until { $0.contacts(.sent).map(\.label) == ["from work"] }
        await bob.contacts.until { $0.contacts(.received).map(\.user) == ["alice"] }
        try await bob.contacts.accept("alice")
        await alice.contacts.until { $0.contacts(.accepted).map(\.user) == ["bob"] }
        // A change without an event, because there is no session.
        await alice.disconnect()
        try await bob.contacts.remove("alice")
        #expect(bob.contacts.snapshot.contacts.isEmpty)
        await alice.connect()
        await alice.contacts.until { $0.isComplete && $0.contacts.isEmpty }
    }

    @Test func aDeclinedInvitationIsGone() async throws {
        let (alice, bob, _, _) = try await pair()
        try await alice.contacts.load()
        try await bob.contacts.load()
        try await alice.contacts.invite("bob")
        await bob.contacts.until { !$0.contacts(.received).isEmpty }
        try await bob.contacts.decline("alice")
        await bob.contacts.until { $0.contacts.isEmpty }
        await alice.contacts.until { $0.isComplete && $0.contacts.isEmpty }
    }

    // MARK: Blocks

    @Test func aBlockHidesInGroupsUntilItIsTakenAway() async throws {
        let (alice, bob, _, _) = try await pair()
        let group = try await alice.createGroup("Crew", members: ["bob"])
        let timeline = try await alice.timeline(with: group)
        let other = try await bob.timeline(with: group)
        try await other.send("one")
        await timeline.until { $0.texts == ["one"] }
        try await alice.contacts.block("bob")
        #expect(try await alice.contacts.blocked() == ["bob"])
        let hidden = await timeline.until { $0.items.first?.message?.isHidden == true }
        #expect(hidden.items.first?.message?.from == "" && hidden.items.first?.message?.body == nil)
        try await other.send("two")
        await timeline.until { $0.items.compactMap(\.message).map(\.isHidden) == [true, true] }
        try await alice.contacts.unblock("bob")
        let back = await timeline.until { $0.texts == ["one", "two"] }
        #expect(back.items.compactMap(\.message).allSatisfy { !$0.isHidden })
        try await alice.contacts.report("bob", .spam, text: "again")
        try await alice.contacts.report(SequenceNumber(1), of: group, .other)
    }

    /// Messages in a direct conversation during a block are neither drawn nor unread, and no gap.
    @Test func withheldMessagesOfADirectConversationAreLeftOut() async throws {
        let (alice, bob, _, _) = try await pair()
        let writing = try await bob.timeline(with: "@alice")
        try await writing.send("before")
        let timeline = try await alice.timeline(with: "@bob")
        await timeline.until { $0.texts == ["hi", "before"] }
        try await alice.contacts.block("bob")
        try await writing.send("secret")
        await writing.until { $0.areSent == [false, true, true] }
        try await alice.contacts.unblock("bob")
        try await writing.send("after")
        let shown = await timeline.until { $0.texts == ["hi", "before", "after"] }
        #expect(shown.items.count == 3)
        await alice.conversations.until { $0.first?.last?.text == "after" && $0.first?.unread == 2 }
    }
}

/// Settings that follow the user.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct SharedSettingsTests {
    private let relay = TestRelay()
    private let yes = Array("true".utf8)

    @Test func aSettingIsOnTheOtherDeviceAlsoAfterAnAbsence() async throws {
        let phone = try await Device("alice", on: relay).online()
        let device = try Device("alice", on: relay, name: "laptop")
        let laptop = try await device.online()
        try await phone.settings.set("pin/c-1", json: Array("1".utf8))
        await laptop.settings.until { $0["pin/c-1"]?.value == Array("1".utf8) }
        await laptop.disconnect()
        try await phone.settings.set("pin/c-1", json: nil)
        try await phone.settings.set("pin/c-2", json: Array("2".utf8))
        await laptop.connect()
        await laptop.settings.until { Array($0.keys) == ["pin/c-2"] }
        await phone.settings.until { Array($0.keys) == ["pin/c-2"] }
        // They are on the device, and so is the place up to which it has them.
        await laptop.until { $0.isUpToDate }
        await laptop.disconnect()
        relay.setReachable(false)
        let again = try await device.start()
        await again.settings.until { Array($0.keys) == ["pin/c-2"] }
    }

    @Test func aStaleVersionIsAConflict() async throws {
        let phone = try await Device("alice", on: relay).online()
        let laptop = try await Device("alice", on: relay, name: "laptop").online()
        try await phone.settings.set("draft/c-1", json: yes, ifVersion: 0)
        await laptop.settings.until { $0["draft/c-1"] != nil }
        let seen = try #require(laptop.settings.settings["draft/c-1"]?.version)
        try await phone.settings.set("draft/c-1", json: Array("1".utf8), ifVersion: seen)
        do {
            try await laptop.settings.set("draft/c-1", json: Array("2".utf8), ifVersion: seen)
            Issue.record("it wasn't refused")
        } catch RoostFailure.refused(let refusal) {
            #expect(refusal.is(.conflict))
        }
        await laptop.settings.until { $0["draft/c-1"]?.value == Array("1".utf8) }
    }

    @Test func aDeviceThatIsNewAsksForAll() async throws {
        let phone = try await Device("alice", on: relay).online()
        for number in 1...3 { try await phone.settings.set("k\(number)", json: yes) }
        let tablet = try await Device("alice", on: relay, name: "tablet").online()
        await tablet.settings.until { $0.count == 3 }
    }

    @Test func aMutedConversationIsntInTheBadgeUntilTheMuteEnds() async throws {
        let clock = ManualClock()
        let start = clock.now
        let device = try Device("alice", on: relay)
        device.adjust = { settings in
            settings.clock = clock
            settings.deviceTime = {
                Timestamp(milliseconds: 1_000 + Int64(start.duration(to: clock.now) / .milliseconds(1)))
            }
        }
        let roost = try await device.online()
        relay.write(["one", "two"], from: "bob", to: "@alice")
        await roost.until { $0.badge == 2 }
        let id = try #require(roost.conversations.rows.first?.id)
        try await roost.settings.setMute(.always, of: id)
        await roost.until { $0.badge == 0 }
        await roost.conversations.until { $0.first?.isMuted == true && $0.first?.unread == 2 }
        await roost.settings.until { $0["mute/\(id)"] != nil }
        #expect(roost.settings.mute(of: id) == .always)
        try await roost.settings.setMute(nil, of: id)
        await roost.until { $0.badge == 2 }
        // The relay's clock began there, and goes only on by moments.
        let end = Timestamp(milliseconds: 1_700_000_000_000 + 3_600_000)
        try await roost.settings.setMute(.until(end), of: id)
        await roost.until { $0.badge == 0 }
        // A device that is about to wait when the clock moves waits as long from then on.
        while roost.conversations.rows.first?.isMuted != false {
            clock.advance(by: .seconds(600))
            await Task.yield()
        }
    }
}

extension KnownPeople {
    /// Waits until they are called like that.
    func until(_ isSo: @Sendable ([String: UserProfile]) -> Bool) async {
        for await now in snapshots() where isSo(now) { return }
    }
}

extension ContactBook {
    /// Waits until they are like that.
    func until(_ isSo: @Sendable (ContactsSnapshot) -> Bool) async {
        for await now in snapshots() where isSo(now) { return }
    }
}

extension SharedSettings {
    /// Waits until they are like that.
    func until(_ isSo: @Sendable ([String: LocalSetting]) -> Bool) async {
        for await now in snapshots() where isSo(now) { return }
    }
}
