import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The app of `FromFirebase.md` on a relay in memory.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct NestTests {
    private let relay = TestRelay()

    // article
    private struct TestBackend: Backend {
        let user: String
        let relay: TestRelay

        func relayToken() async throws -> String { relay.token(for: user) }
    }

    private func app(_ user: String) async throws -> Nest {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let nest = Nest()
        try await nest.signIn(
            TestBackend(user: user, relay: relay), relay: URL(filePath: "/"), folder: folder, connector: relay.connector
        ) { $0.generator = CountingGenerator() }
        return nest
    }

    @Test func whatIsSentWithoutANetworkArrivesOnce() async throws {
        let (alice, bob) = (try await app("alice"), try await app("bob"))
        let one = try await ChatScreen("@bob", #require(alice.roost))
        let other = try await ChatScreen("@alice", #require(bob.roost))
        relay.setReachable(false)
        relay.cut()
        await one.send("Are you there?")
        await one.timeline.shows { $0.items.count == 1 }
        #expect(one.timeline.items.first?.message?.state == .sending)
        relay.setReachable(true)
        await alice.roost?.wake()
        await bob.roost?.wake()
        await other.timeline.shows { $0.items.first?.message?.text == "Are you there?" }
        await one.timeline.shows { $0.items.first?.message?.state == .delivered(count: 1, others: 1) }
    }
    // end

    @Test func theListShowsWhatHappens() async throws {
        let (alice, bob) = (try await app("alice"), try await app("bob"))
        let one = try await ChatScreen("@bob", #require(alice.roost))
        let other = try await ChatScreen("@alice", #require(bob.roost))
        await one.send("  \n")
        await one.send(String(repeating: "long ", count: 20))
        await other.timeline.shows { $0.items.count == 1 }
        await one.timeline.shows { $0.items.first?.message?.state == .delivered(count: 1, others: 1) }
        await bob.roost?.conversations.until { $0.first?.unread == 1 }
        #expect(bob.lines.map(\.preview) == [String(repeating: "long ", count: 10)])
        await bob.roost?.untilPresence { $0["alice"]?.state == .online }
        #expect(bob.lines.first?.isOnline == true && other.presenceLine == "online")
        one.timeline.draft = "wait"
        await other.timeline.shows { $0.typing == ["alice"] }
        #expect(other.typingLine == "alice is typing…")
        await bob.roost?.conversations.until { $0.first?.typing == ["alice"] }
        #expect(bob.lines.first?.preview == "alice is typing…")
        await alice.roost?.conversations.until { $0.first?.draft == "wait" }
        #expect(alice.lines.first?.preview == "Draft: wait")
        relay.advance(.seconds(4))
        await other.timeline.shows { $0.typing.isEmpty }
        #expect(other.typingLine.isEmpty)
    }

    @Test func readingIsToldToTheAuthor() async throws {
        let (alice, bob) = (try await app("alice"), try await app("bob"))
        let one = try await ChatScreen("@bob", #require(alice.roost))
        let other = try await ChatScreen("@alice", #require(bob.roost))
        await one.send("hi")
        await other.timeline.shows { $0.items.count == 1 }
        let message = try #require(other.timeline.items.first?.message)
        #expect(other.label(of: message).isEmpty)
        await other.appeared(message)
        await one.timeline.shows { $0.items.first?.message?.state == .read(count: 1, others: 1) }
        let own = try #require(one.timeline.items.first?.message)
        #expect(one.label(of: own) == "Read")
        #expect(await one.readers(of: own) == ["bob"])
        await bob.roost?.disconnect()
        await alice.roost?.untilPresence { $0["bob"]?.state == .offline }
        #expect(one.presenceLine.hasPrefix("last seen "))
    }

    @Test func aGroupCountsWhoIsThereAndCanBeLeft() async throws {
        let (alice, bob) = (try await app("alice"), try await app("bob"))
        await alice.roost?.until { $0.isUpToDate }
        let screen = try #require(try await alice.createGroup("Crew", with: ["bob", "carol"]))
        await bob.roost?.conversations.until { $0.first?.title == "Crew" }
        await screen.timeline.shows { $0.online?.online == 2 }
        #expect(screen.presenceLine == "2 of 3 are here")
        try await bob.leave(#require(bob.lines.first))
        await bob.roost?.conversations.until { $0.isEmpty }
        await screen.timeline.shows { $0.conversation?.count == 2 }
    }

    @Test func failuresAreShownAndTriedAgainByHand() async throws {
        let alice = try await app("alice")
        let roost = try #require(alice.roost)
        let screen = try await ChatScreen("@bob", roost)
        #expect(alice.banner == nil)
        relay.refuseNext("send", .forbidden)
        await screen.send("hi")
        await screen.timeline.shows { $0.failure != nil }
        let failed = try #require(screen.timeline.items.first?.message)
        #expect(screen.label(of: failed) == roost.sentences.notAllowed)
        await screen.tapped(failed)
        await screen.timeline.shows { $0.items.first?.message?.state == .sent }
        await screen.attempt { try await screen.timeline.retry(99) }
        #expect(screen.alert?.hasPrefix(roost.sentences.somethingWrong) == true)
        relay.setReachable(false)
        relay.cut()
        await screen.send("later")
        await roost.until { $0.pendingCount == 1 && $0.connection != .connected }
        #expect(alice.banner == roost.sentences.offline)
        try await alice.signOut()
        #expect(alice.roost == nil && alice.lines.isEmpty && alice.banner == nil)
    }
}
