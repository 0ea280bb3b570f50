import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// Threads, pinned and forwarded messages, as an app sees them.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct ThreadTests {
    private let relay = TestRelay()

    private func crew() async throws -> (Roost, Roost, ConversationTimeline, ConversationTimeline) {
        let (alice, bob) = (
            try await Device("alice", on: relay).online(), try await Device("bob", on: relay).online()
        )
        let group = try await alice.createGroup("Crew", members: ["bob"])
        return (alice, bob, try await alice.timeline(with: group), try await bob.timeline(with: group))
    }

    private func send(_ text: String, in timeline: ConversationTimeline, seenBy other: ConversationTimeline)
        async throws -> TimelineItem.ID
    {
        let id = try await timeline.send(text)
        await other.until { $0.texts.last == text }
        await timeline.until { $0.items.last?.message?.state?.rank ?? 0 > 0 }
        return id
    }

    // MARK: Threads

    @Test func aThreadIsWrittenReadAndCounted() async throws {
        let (alice, bob, writing, reading) = try await crew()
        let first = try await send("lunch?", in: writing, seenBy: reading)
        let thread = try await writing.thread(of: first)
        try await thread.send("pizza")
        let other = try await reading.thread(of: .sequence(SequenceNumber(1)))
        await other.until { $0.texts == ["pizza"] }
        try await other.send("soup")
        await thread.until { $0.texts == ["pizza", "soup"] && $0.root?.replies?.count == 2 }
        let shown = await reading.until { $0.items.count == 3 && $0.items[0].message?.replies?.count == 2 }
        #expect(shown.items.map(\.message?.thread) == [nil, SequenceNumber(1), SequenceNumber(1)])
        // A message of the thread leads to the same one.
        #expect(try await reading.thread(of: shown.items[1].id).root == thread.root)
        try await reading.delete(shown.items[2].id)
        await thread.until { $0.texts == ["pizza"] && $0.root?.replies?.count == 1 }
        #expect(alice.connection == .connected && bob.connection == .connected)
    }

    @Test func aThreadIsReadPageByPage() async throws {
        let (alice, bob, writing, reading) = try await crew()
        let first = try await send("root", in: writing, seenBy: reading)
        let thread = try await writing.thread(of: first)
        for number in 1...130 {
            try await thread.send("\(number)")
            if number % 6 == 0 { try await writing.send("beside") }
        }
        await writing.until { $0.items.last?.message?.state?.rank ?? 0 > 0 }
        let tablet = try await Device("bob", on: relay, name: "tablet").online()
        let timeline = try await tablet.timeline(with: writing.conversation?.id ?? "")
        await timeline.until { $0.conversation != nil }
        try await timeline.jump(to: SequenceNumber(1))
        let read = try await timeline.thread(of: .sequence(SequenceNumber(1)))
        await read.until { $0.items.count >= 100 && $0.texts.last == "130" }
        while read.snapshot.hasOlder { try await read.loadOlder() }
        #expect(read.snapshot.texts == (1...130).map { "\($0)" } && read.snapshot.root?.text == "root")
        #expect(alice.connection == .connected && bob.connection == .connected)
    }

    @Test func waitingThreadMessagesSurviveARestart() async throws {
        let device = try Device("alice", on: relay)
        relay.write(["root"], from: "bob", to: "@alice")
        var roost: Roost? = try await device.online()
        var timeline: ConversationTimeline? = try await roost?.timeline(with: "@bob")
        await timeline?.until { $0.texts == ["root"] }
        await roost?.disconnect()
        var thread: MessageThread? = try await timeline?.thread(of: .sequence(SequenceNumber(1)))
        try await thread?.send("later")
        #expect(thread?.snapshot.root?.text == "root")
        (thread, timeline, roost) = (nil, nil, nil)
        relay.loseNextAnswer(to: "send")
        let again = try await device.online()
        let shown = try await again.timeline(with: "@bob")
        await shown.until { $0.items.count == 2 && $0.areSent.last == true }
        #expect(shown.items[1].message?.thread == SequenceNumber(1) && shown.items[0].message?.replies?.count == 1)
        #expect(relay.bodies(of: shown.conversation?.id ?? "", seenBy: "alice") == ["root", "later"])
    }

    // MARK: Pins

    @Test func pinnedMessagesAreWithEverybody() async throws {
        let (alice, bob, writing, reading) = try await crew()
        let first = try await send("rules", in: writing, seenBy: reading)
        let second = try await send("plan", in: writing, seenBy: reading)
        try await writing.pin(first)
        try await writing.pin(second)
        try await writing.pin(second)
        let pins = await reading.until { $0.pins.count == 2 }.pins
        #expect(pins.map(\.message?.text) == ["plan", "rules"] && pins.map(\.by) == ["alice", "alice"])
        await writing.until { $0.pins.map(\.message?.text) == ["plan", "rules"] }
        do {
            try await reading.unpin(.sequence(SequenceNumber(1)))
            Issue.record("members don't choose")
        } catch RoostFailure.refused(let refusal) { #expect(refusal.is(.forbidden)) }
        // A device that comes later asks for those that it doesn't have.
        for number in 1...120 { try await writing.send("\(number)") }
        await alice.until { $0.pendingCount == 0 }
        let tablet = try await Device("bob", on: relay, name: "tablet").online()
        let timeline = try await tablet.timeline(with: writing.conversation?.id ?? "")
        await timeline.until {
            $0.pins.map(\.message?.text) == ["plan", "rules"] && $0.pins.allSatisfy { $0.by != nil }
        }
        try await writing.unpin(first)
        try await writing.delete(second)
        for one in [reading, writing, timeline] { await one.until { $0.pins.isEmpty } }
        #expect(bob.connection == .connected)
    }

    // MARK: Forwarding

    @Test func aForwardedMessageSaysWhoWroteIt() async throws {
        let (alice, bob, writing, reading) = try await crew()
        let first = try await send("quote me", in: writing, seenBy: reading)
        let id = try await reading.forward(.sequence(SequenceNumber(1)), to: "@carol")
        let sent = try await bob.timeline(with: "@carol")
        let shown = await sent.until { $0.areSent == [true] }
        #expect(shown.items.first?.id == id && shown.items.first?.message?.origin == "alice")
        let carol = try await Device("carol", on: relay).online()
        let got = try await carol.timeline(with: "@bob")
        let copy = await got.until { $0.texts == ["quote me"] }.items[0]
        #expect(copy.message?.origin == "alice" && copy.message?.from == "bob")
        // A user who forwards it again names the same author.
        try await got.forward(copy.id, to: "@alice")
        let back = try await alice.timeline(with: "@carol")
        await back.until { $0.items.first?.message?.origin == "alice" }
        // A message that is gone can't be forwarded, and holds up nothing.
        await bob.disconnect()
        try await reading.forward(.sequence(SequenceNumber(1)), to: "@carol")
        try await sent.send("after it")
        try await writing.delete(first)
        await alice.until { $0.pendingCount == 0 }
        await bob.connect()
        let failed = await sent.until {
            guard case .failed = $0.items.dropFirst().first?.message?.state else { return false }
            return true
        }
        let item = try #require(failed.items.dropFirst().first?.message?.outboxItem)
        try await sent.discard(item)
        await got.until { $0.texts == ["quote me", "after it"] }
    }
}

extension ThreadSnapshot {
    var texts: [String] { items.compactMap { $0.message?.text } }
}

extension MessageThread {
    /// Waits until it looks like that.
    @discardableResult
    func until(_ isSo: @Sendable (ThreadSnapshot) -> Bool) async -> ThreadSnapshot {
        for await now in snapshots() where isSo(now) { return now }
        return snapshot
    }
}
