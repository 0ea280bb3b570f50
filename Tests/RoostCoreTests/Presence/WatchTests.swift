import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// The rules for who may watch whose presence.
@Suite struct WatchTests {
    let relay = RelayHarness(
        limits: .with {
            $0.awayMilliseconds = 0
            $0.watchedPerSession = 3
            $0.outboxCalmBytes = 500
        })
    let alice: HarnessClient
    let group: String

    init() {
        alice = relay.connect("alice")
        group = alice.makeGroup("bob", "carol", "dave", "erin")
    }

    private func watch(_ users: String...) -> String { alice.outcome("watch", ["users": .list(users)]) }

    @Test func watchRepliesWithASnapshot() {
        _ = relay.connect("bob")
        relay.pause()
        let users = alice.request("watch", ["users": ["bob", "carol"]])?.list("users") ?? []
        #expect(users.map { $0.text("user") } == ["bob", "carol"])
        #expect(users.map { $0.text("state") } == ["online", "offline"])
    }

    /// Bob is idle for less than a tick, and Alice asks within it.
    @Test func aWrongSnapshotIsCorrected() {
        let bob = relay.connect("bob")
        relay.pause()
        bob.tell("presence", ["id": 1, "state": "idle"])
        #expect(watch("bob") == "ok")
        bob.tell("presence", ["id": 2, "state": "active"])
        relay.pause()
        #expect(alice.states(of: "bob").last == "online")
    }

    @Test func withoutWatchNothingIsTold() {
        _ = relay.connect("bob")
        relay.pause()
        #expect(alice.frames("presence").isEmpty)
    }

    @Test func onlyUsersWithASharedConversationCanBeWatched() {
        _ = relay.connect("stranger")
        #expect(watch("stranger") == "forbidden")
        #expect(watch("nobody") == "forbidden")
        #expect(watch("bob", "stranger") == "forbidden")
        _ = relay.connect("bob")
        relay.pause()
        // The whole command is refused.
        #expect(alice.states(of: "bob").isEmpty)
        #expect(watch("alice") == "ok")
    }

    @Test func aWatchEndsWithTheLastSharedConversation() {
        let bob = relay.connect("bob")
        relay.pause()
        #expect(watch("bob") == "ok")
        _ = bob.request("conversation.leave", ["conversation": "\(group)"])
        alice.forget()
        bob.tell("bye")
        relay.pause()
        #expect(alice.states(of: "bob").isEmpty)
    }

    @Test func unwatchEndsAWatch() {
        _ = watch("bob", "carol")
        #expect(alice.outcome("unwatch", ["users": ["bob", "nobody"]]) == "ok")
        alice.forget()
        _ = relay.connect("bob")
        _ = relay.connect("carol")
        relay.pause()
        #expect(alice.states(of: "bob").isEmpty)
        #expect(alice.states(of: "carol") == ["online"])
    }

    @Test func aSessionWatchesSoManyAndNoMore() {
        #expect(watch("bob", "carol", "dave") == "ok")
        #expect(watch("erin") == "too_large")
        // Users that the session watches already don't count twice.
        #expect(watch("bob", "bob", "carol") == "ok")
        _ = alice.request("unwatch", ["users": ["bob"]])
        #expect(watch("erin", "erin") == "ok")
    }

    @Test func watchingEndsWithTheSession() {
        _ = watch("bob")
        alice.drop()
        let again = relay.connect("alice")
        _ = relay.connect("bob")
        relay.pause()
        #expect(again.states(of: "bob").isEmpty)
    }

    @Test func watchingTwiceTellsOnce() {
        alice.post("hi", to: "@bob")
        _ = watch("bob")
        alice.forget()
        _ = relay.connect("bob")
        relay.pause()
        #expect(alice.states(of: "bob") == ["online"])
    }

    // MARK: Direct conversations

    @Test func theTwoOfADirectConversationWatchEachOtherFromItsBeginning() {
        let stranger = relay.connect("stranger")
        relay.pause()
        stranger.post("hi", to: "@alice")
        #expect(alice.states(of: "stranger") == ["online"])
        #expect(stranger.states(of: "alice") == ["online"])
        stranger.tell("bye")
        relay.pause()
        #expect(alice.states(of: "stranger") == ["online", "offline"])
    }

    @Test func aUserWhoLeftADirectConversationIsNotSeenUntilTheReturn() {
        let stranger = relay.connect("stranger")
        stranger.post("hi", to: "@alice")
        relay.pause()
        _ = stranger.request("conversation.leave", ["conversation": "@alice"])
        alice.forget()
        stranger.tell("presence", ["id": 1, "state": "idle"])
        relay.pause()
        #expect(alice.states(of: "stranger").isEmpty)
        stranger.post("again", to: "@alice")
        #expect(alice.states(of: "stranger") == ["away"])
        stranger.tell("bye")
        relay.pause()
        #expect(alice.states(of: "stranger") == ["away", "offline"])
    }

    @Test func welcomeIsFollowedByTheStatesOfPeers() {
        alice.post("hi", to: "@bob")
        relay.pause()
        let bob = relay.connect("bob")
        #expect(bob.frames.prefix(2).map { $0.text("type") } == ["welcome", "presence"])
        #expect(bob.states(of: "alice") == ["online"])
    }

    @Test func peersAreKnownAfterARestart() {
        alice.post("hi", to: "@bob")
        relay.crash()
        let bob = relay.connect("bob")
        #expect(bob.states(of: "alice") == ["offline"])
        _ = relay.connect("alice")
        relay.pause()
        #expect(bob.states(of: "alice") == ["offline", "online"])
    }

    @Test func aSlowWatcherGetsTheNewestStateOnceItHasCaughtUp() {
        _ = watch("bob", "carol")
        alice.forget()
        alice.isReading = false
        let carol = relay.connect("carol")
        carol.tell("signal", ["to": "\(group)", "body": "\(String(repeating: "s", count: 600))"])
        relay.connect("bob").tell("bye")
        relay.pause()
        let bob = relay.connect("bob")
        relay.pause()
        #expect(bob.outcome("presence", ["state": "idle"]) == "ok")
        relay.pause()
        alice.isReading = true
        relay.settle()
        #expect(alice.frames("presence").count == 1)
        #expect(alice.states(of: "bob") == ["away"])
        #expect(alice.states(of: "carol") == ["online"])
    }
}
