import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The code of `Scrolling.md` about threads and pinned messages.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct ThreadArticleTests {
    private let relay = TestRelay()

    // article
    func answer(_ message: TimelineMessage, in timeline: ConversationTimeline, _ text: String) async throws
        -> MessageThread
    {
        let thread = try await timeline.thread(of: message.id)
        try await thread.send(text)
        while thread.snapshot.hasOlder { try await thread.loadOlder() }
        return thread
    }

    func pinAndPassOn(_ message: TimelineMessage, in timeline: ConversationTimeline, to user: String) async throws {
        try await timeline.pin(message.id)
        try await timeline.forward(message.id, to: "@\(user)")
    }
    // end

    @Test func aMessageIsAnsweredPinnedAndPassedOn() async throws {
        let alice = try await Device("alice", on: relay).online()
        relay.write(["lunch?"], from: "bob", to: "@alice")
        let timeline = try await alice.timeline(with: "@bob")
        let message = try #require(await timeline.until { $0.texts == ["lunch?"] }.items.first?.message)
        let thread = try await answer(message, in: timeline, "pizza")
        await thread.until { $0.texts == ["pizza"] }
        try await pinAndPassOn(message, in: timeline, to: "carol")
        await timeline.until { $0.pins.map(\.by) == ["alice"] }
        let passedOn = try await alice.timeline(with: "@carol")
        await passedOn.until { $0.items.first?.message?.origin == "bob" && $0.states == [.sent] }
    }
}
