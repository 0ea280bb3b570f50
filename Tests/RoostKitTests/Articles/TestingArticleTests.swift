import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

// article
extension ConversationTimeline {
    /// Waits until the screen looks like that.
    func shows(_ isSo: (TimelineSnapshot) -> Bool) async {
        for await now in snapshots() where isSo(now) { return }
    }
}
// end

/// The code of `TestingYourApp.md`.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct TestingArticleTests {
    // article
    func start(
        _ user: String, on relay: TestRelay, adjust: (inout RoostSettings) -> Void = { _ in }
    ) async throws -> Roost {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let token = relay.token(for: user)
        var settings = RoostSettings(
            relay: URL(filePath: "/"), file: folder.appending(path: "roost.db"), device: "phone",
            connector: relay.connector
        ) { token }
        settings.generator = CountingGenerator()
        adjust(&settings)
        let roost = try await Roost(settings)
        await roost.connect()
        return roost
    }
    // end

    // article
    @Test func bobReadsWhatAliceWrites() async throws {
        let relay = TestRelay()
        let (alice, bob) = (try await start("alice", on: relay), try await start("bob", on: relay))
        let writing = try await alice.timeline(with: "@bob")
        let reading = try await bob.timeline(with: "@alice")
        try await writing.send("Are you there?")
        await reading.shows { $0.items.first?.message?.text == "Are you there?" }
        try await reading.seen(upTo: SequenceNumber(1))
        await writing.shows { $0.items.first?.message?.state == .read(count: 1, others: 1) }
    }
    // end

    // article
    @Test func aLostAnswerDoublesNothing() async throws {
        let relay = TestRelay()
        let alice = try await start("alice", on: relay)
        let timeline = try await alice.timeline(with: "@bob")
        relay.loseNextAnswer(to: "send")
        try await timeline.send("Once")
        await timeline.shows { $0.items.first?.message?.state == .sent }
        let conversation = try #require(timeline.conversation?.id)
        #expect(relay.bodies(of: conversation, seenBy: "alice") == ["Once"])
    }
    // end

    // article
    @Test func afterThreeTriesItIsUpToThePerson() async throws {
        let (relay, clock) = (TestRelay(), ManualClock())
        let alice = try await start("alice", on: relay) { settings in
            settings.policy = .threeTries
            settings.clock = clock
        }
        let timeline = try await alice.timeline(with: "@bob")
        for _ in 1...4 { relay.refuseNext("send", .busy) }
        let id = try await timeline.send("hi")
        for seconds in [2, 4, 8] { await clock.pass(.seconds(seconds)) }
        await timeline.shows { if case .failed? = $0.items.first?.message?.state { true } else { false } }
        let failed = try #require(timeline.items.first)
        try await timeline.retry(failed.id)
        await timeline.shows { $0.items.first?.message?.state == .sent }
        #expect(timeline.items.map(\.id) == [id])
    }
    // end

    // article
    @Test func typingEndsByItself() async throws {
        let relay = TestRelay()
        let (alice, bob) = (try await start("alice", on: relay), try await start("bob", on: relay))
        let writing = try await alice.timeline(with: "@bob")
        let reading = try await bob.timeline(with: "@alice")
        try await writing.send("hi")
        await writing.shows { $0.items.first?.message?.state?.rank ?? 0 > 0 }
        writing.draft = "Are"
        try await writing.saveDraft()
        await reading.shows { $0.typing == ["alice"] }
        relay.advance(.seconds(3))
        await reading.shows { $0.typing.isEmpty }
    }
    // end

    // article
    @Test func whatIsWrittenUndergroundArrivesAfterwards() async throws {
        let relay = TestRelay()
        let alice = try await start("alice", on: relay)
        let timeline = try await alice.timeline(with: "@bob")
        relay.setReachable(false)
        relay.cut("alice")
        try await timeline.send("In the tunnel")
        await timeline.shows { $0.items.first?.message?.state == .sending }
        relay.setReachable(true)
        await alice.wake()
        await timeline.shows { $0.items.first?.message?.state == .sent }
    }
    // end
}
