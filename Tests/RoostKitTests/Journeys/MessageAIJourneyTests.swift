import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The needs of the app with the offline queue (seed MessageAI), requirement by requirement.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct MessageAIJourneyTests {
    @Test("M3: the badge counts what others wrote and isn't read, delivered or not, and nothing of one's own")
    func badges() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        try await pair.writing.send("two")
        // Delivered, and unread all the same.
        await pair.writing.until { $0.states.last == .delivered(count: 1, others: 1) }
        await pair.other.until { $0.badge == 2 }
        let group = try await pair.one.createGroup("Crew", members: ["bob"])
        try await pair.one.timeline(with: group).send("three")
        await pair.other.until { $0.badge == 3 }
        #expect(pair.one.badge == 0)
        try await pair.reading.seen(upTo: SequenceNumber(2))
        await pair.other.until { $0.badge == 1 }
        // The author has seen what was said before.
        try await pair.other.timeline(with: group).send("mine")
        await pair.other.until { $0.badge == 0 }
    }

    @Test("M5: groups are created, grow, are renamed and left")
    func groups() async throws {
        let pair = try await Pair()
        let group = try await pair.one.createGroup("Crew", members: ["bob"])
        await pair.other.conversations.until { $0.first?.title == "Crew" }
        try await pair.one.renameGroup(group, to: "The Crew")
        await pair.other.conversations.until { $0.first?.title == "The Crew" }
        try await pair.one.addMembers(["carol"], to: group)
        await pair.other.conversations.until { $0.first?.conversation?.count == 3 }
        try await pair.one.removeMembers(["carol"], from: group)
        await pair.other.conversations.until { $0.first?.conversation?.count == 2 }
        try await pair.other.leave(group)
        await pair.other.conversations.until { $0.isEmpty }
        await pair.one.conversations.until { $0.first?.conversation?.count == 1 }
    }

    @Test("M9: deleting a chat takes only oneself out; the last one out takes the messages along")
    func swipeToDelete() async throws {
        let pair = try await Pair()
        let group = try await pair.one.createGroup("Crew", members: ["bob"])
        let timeline = try await pair.one.timeline(with: group)
        try await timeline.send("hi")
        await pair.other.conversations.until { $0.first?.last?.text == "hi" }
        try await pair.one.leave(group)
        await pair.one.conversations.until { $0.isEmpty }
        #expect(pair.other.conversations.rows.first?.last?.text == "hi")
        #expect(pair.relay.bodies(of: group, seenBy: "bob") == ["hi"])
        try await pair.other.leave(group)
        #expect(pair.relay.bodies(of: group, seenBy: "bob").isEmpty)
    }

    @Test("M10: conversations by what happened last, messages by the relay's order")
    func order() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.relay.advance(.seconds(1))
        let carol = try await pair.one.timeline(with: "@carol")
        try await carol.send("newer")
        await carol.until { $0.areSent == [true] }
        await pair.one.conversations.until { $0.map(\.title) == ["carol", "bob"] }
        pair.relay.advance(.seconds(1))
        try await pair.reading.send("newest")
        await pair.one.conversations.until { $0.map(\.title) == ["bob", "carol"] }
    }

    @Test("M11: the queue outlives the app, and goes out by itself when there is a network")
    func persistentQueue() async throws {
        let relay = TestRelay()
        let alice = try Device("alice", on: relay)
        relay.setReachable(false)
        for text in ["one", "two"] {
            let roost = try await alice.start()
            try await roost.timeline(with: "@bob").send(text)
        }
        let roost = try await alice.start()
        await roost.until { $0.pendingCount == 2 }
        await roost.connect()
        await roost.until { if case .waiting = $0.connection { true } else { false } }
        relay.setReachable(true)
        await roost.until { $0.pendingCount == 0 }
        let timeline = try await roost.timeline(with: "@bob")
        #expect(timeline.texts == ["one", "two"])
    }

    @Test("M12: three retries after 2, 4 and 8 seconds, then failed, and by hand under the same key")
    func retries() async throws {
        let clock = ManualClock()
        let pair = try await Pair(policy: .threeTries) { settings in
            settings.clock = clock
            settings.generator = CountingGenerator()
        }
        for _ in 1...4 { pair.relay.refuseNext("send", .unavailable) }
        let id = try await pair.writing.send("hi")
        for seconds in [2, 4, 8] {
            await clock.sleeper(for: .seconds(seconds))
            await pair.writing.until { $0.states == [.sending] }
            await clock.pass(.seconds(seconds))
        }
        let failed = await pair.writing.until { $0.firstFailure != nil }
        #expect(failed.firstFailure?.reason == .unreachable && failed.firstFailure?.canRetry == true)
        #expect(
            pair.one.sentences.sentence(for: try #require(failed.firstFailure))
                == "Failed to send message. Tap to retry.")
        try await pair.writing.retry(try #require(failed.messages.first?.outboxItem))
        await pair.writing.until { $0.states == [.delivered(count: 1, others: 1)] }
        #expect(pair.writing.items.map(\.id) == [id])
        #expect(pair.stored == ["hi"])
    }

    @Test("M12: a retry of what was stored after all doubles nothing")
    func retryOfWhatIsStored() async throws {
        let pair = try await Pair(policy: .threeTries)
        pair.relay.setReachable(true)
        pair.relay.loseNextAnswer(to: "send")
        try await pair.writing.send("once")
        await pair.writing.until { $0.states == [.delivered(count: 1, others: 1)] }
        await pair.reading.until { $0.texts == ["once"] }
        #expect(pair.stored == ["once"])
    }

    @Test("M13: a bar tells of the connection, each message of its state, and a count of what waits")
    func connectionBanner() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        #expect(pair.one.connection == .connected && pair.one.pendingCount == 0)
        pair.cutOff()
        await pair.one.until { $0.connection != .connected }
        try await pair.writing.send("later")
        await pair.one.until { $0.pendingCount == 1 }
        await pair.writing.until { $0.states.last == .sending }
        await pair.back()
        await pair.one.until { $0.connection == .connected && $0.pendingCount == 0 }
    }

    @Test("M24: reactions, counted, and one's own taken back")
    func reactions() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        let target = try #require(pair.reading.items.first?.id)
        try await pair.reading.react(target, "👍")
        await pair.writing.until { $0.messages.first?.reactions.first?.count == 1 }
        try await pair.writing.react(try #require(pair.writing.items.first?.id), "👍")
        await pair.reading.until { $0.messages.first?.reactions.first?.count == 2 }
        try await pair.reading.react(target, "👍", isOn: false)
        await pair.writing.until { $0.messages.first?.reactions.first?.count == 1 }
    }

    @Test("M27: words are found among the messages of this device, without a network")
    func search() async throws {
        let pair = try await Pair()
        for text in ["We meet tomorrow", "the report", "Tomorrow, then"] { try await pair.writing.send(text) }
        await pair.reading.until { $0.items.count == 3 }
        pair.relay.setReachable(false)
        pair.relay.cut()
        let found = try await pair.reading.search("tomorrow")
        #expect(found.compactMap(\.body?.text) == ["Tomorrow, then", "We meet tomorrow"])
    }
}
