import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The code of `MessageStates.md`, `WhenThingsFail.md`, `Scrolling.md` and `KeptOnTheDevice.md`.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct FailureArticleTests {
    private let relay = TestRelay()

    // article
    func ticks(for state: MessageState) -> String {
        switch state {
        case .sending: "🕓"
        case .sent: "✓"
        case .delivered: "✓✓"
        case .read: "✓✓ read"
        case .failed: "⚠️"
        }
    }
    // end

    // article
    func setUp(_ settings: inout RoostSettings) {
        // Three further tries after 2, 4 and 8 seconds, then the message fails and can be tried by hand.
        settings.policy = .threeTries
        // A message that the relay refuses doesn't hold up those behind it.
        settings.goesOnAfterFailures = true
        settings.sentences.unreachable = "Nicht gesendet. Zum Wiederholen tippen."
    }
    // end

    // article
    enum Choice { case again, otherText(String), takeBack }

    func choose(_ choice: Choice, for message: TimelineMessage, in timeline: ConversationTimeline) async throws {
        switch choice {
        case .again: try await timeline.retry(message.id)
        case .otherText(let text): try await timeline.replace(message.id, text)
        case .takeBack: try await timeline.discard(message.id)
        }
    }
    // end

    // article
    func save(_ text: String, of message: TimelineMessage, in timeline: ConversationTimeline) async throws {
        // `message` is the row as it was when the user began to edit.
        try await timeline.edit(message.id, text, ifVersion: message.version)
    }
    // end

    // article
    func appeared(_ item: TimelineItem, in timeline: ConversationTimeline) {
        timeline.appeared(item.id)
    }
    // end

    // article
    func showOriginal(of reply: TimelineMessage, in timeline: ConversationTimeline) async throws {
        guard let original = reply.replyTo else { return }
        try await timeline.jump(to: original)
    }

    func showNewest(_ words: String, in timeline: ConversationTimeline) async throws {
        guard let newest = try await timeline.search(words).first else { return }
        try await timeline.jump(to: newest.id)
    }
    // end

    // article
    func scrolled(_ timeline: ConversationTimeline, isAtTop: Bool, isAtBottom: Bool) async throws {
        if isAtTop, timeline.snapshot.hasOlder { try await timeline.loadOlder() }
        if isAtBottom, timeline.snapshot.hasNewer { try await timeline.loadNewer() }
    }
    // end

    // article
    func bound(_ settings: inout RoostSettings) {
        settings.limits.messagesMax = 5_000
        settings.limits.outbox.itemsMax = 1_000
    }
    // end

    @Test func theThreeChoices() async throws {
        let device = try Device("alice", on: relay)
        device.adjust = setUp
        let roost = try await device.online()
        let timeline = try await roost.timeline(with: "@bob")
        #expect(roost.sentences.unreachable.hasPrefix("Nicht"))
        for _ in 0..<3 { relay.refuseNext("send", .tooLarge) }
        for text in ["one", "two", "three"] { try await timeline.send(text) }
        try await timeline.send("four")
        // The items behind it go on.
        await timeline.until { $0.states.first == .sent && $0.items.count == 4 }
        var failed = timeline.items.compactMap(\.message).filter { $0.outboxItem != nil }
        #expect(failed.compactMap(\.text) == ["one", "two", "three"])
        #expect(failed.compactMap(\.state).map(ticks) == ["⚠️", "⚠️", "⚠️"])
        try await choose(.takeBack, for: failed.removeLast(), in: timeline)
        try await choose(.otherText("2"), for: failed.removeLast(), in: timeline)
        try await choose(.again, for: failed.removeLast(), in: timeline)
        await timeline.until { $0.states == [.sent, .sent, .sent] }
        #expect(Set(timeline.texts) == ["one", "2", "four"])
        #expect(timeline.items.compactMap(\.message?.state).map(ticks) == ["✓", "✓", "✓"])
    }

    @Test func scrollingAndJumping() async throws {
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        alice.adjust = bound
        let writer = try await bob.online()
        let writing = try await writer.timeline(with: "@alice")
        for number in 1...200 { try await writing.send("line \(number)") }
        let first = try #require(writing.items.first?.id)
        try await writing.send("as I said", replyTo: first)
        await writer.until { $0.pendingCount == 0 }
        let roost = try await alice.online()
        let timeline = try await roost.timeline(with: "@bob")
        let end = await timeline.until { $0.texts.last == "as I said" && $0.items.count >= 50 && $0.hasOlder }
        for item in end.items { appeared(item, in: timeline) }
        await roost.until { $0.badge == 0 }
        try await scrolled(timeline, isAtTop: true, isAtBottom: false)
        let longer = await timeline.until { $0.items.count >= 150 }
        let reply = try #require(longer.items.last?.message)
        try await showOriginal(of: reply, in: timeline)
        await timeline.until { $0.texts.first == "line 1" && $0.hasNewer }
        try await scrolled(timeline, isAtTop: false, isAtBottom: true)
        await timeline.until { $0.texts.contains("line 100") }
        try await showNewest("LINE 7", in: timeline)
        await timeline.until { $0.texts.contains("line 79") && $0.items.count <= 51 }
    }

    @Test func onlyStatesOfTheUserHaveTicks() {
        #expect(ticks(for: .sending) == "🕓")
        #expect(ticks(for: .delivered(count: 1, others: 2)) == "✓✓")
        #expect(ticks(for: .read(count: 1, others: 2)) == "✓✓ read")
    }
}
