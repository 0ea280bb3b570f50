import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The needs of the app with view models, a repository and an offline queue (seed Pigeon AI), requirement by
/// requirement.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct PigeonJourneyTests {
    @Test("G3, G7: a message that fails shows why, and a tap sends it under the identity that it has")
    func failedAndRetried() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.relay.refuseNext("send", .forbidden)
        let id = try await pair.writing.send("hi")
        let failed = await pair.writing.until { $0.firstFailure?.reason == .notAllowed }
        #expect(failed.messages.last?.id == id)
        try await pair.writing.retry(try #require(failed.messages.last?.outboxItem))
        let sent = await pair.writing.until { ($0.messages.last?.state?.rank ?? 0) > 0 }
        #expect(sent.messages.map(\.id).last == id && sent.items.count == 2)
        await pair.reading.until { $0.texts == ["hello", "hi"] }
    }

    @Test("G4: conversations by time, and those with something unread")
    func unreadConversations() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        let device = try Device("carol", on: pair.relay)
        let carol = try await device.online()
        let asking = try await carol.timeline(with: "@bob")
        try await asking.send("hi")
        try await asking.send("are you there?")
        await pair.other.conversations.until { $0.first?.unread == 2 && $0.first?.title == "carol" }
        let rows = pair.other.conversations.rows
        #expect(rows.filter { $0.unread > 0 }.map(\.title) == ["carol", "alice"])
        try await pair.reading.seen(upTo: SequenceNumber(1))
        await pair.other.conversations.until { $0.filter { $0.unread > 0 }.map(\.title) == ["carol"] }
    }

    @Test("G5: who is in a group, and who may change it")
    func groupRoles() async throws {
        let pair = try await Pair()
        let group = try await pair.one.createGroup("Crew", members: ["bob"])
        await pair.other.conversations.until { $0.first?.title == "Crew" }
        await pair.one.conversations.until { $0.first?.conversation?.role == .owner }
        await #expect(throws: RoostFailure.self) { try await pair.other.addMembers(["carol"], to: group) }
        try await pair.one.setRole(.admin, of: "bob", in: group)
        await pair.other.conversations.until { $0.first?.conversation?.role == .admin }
        try await pair.other.addMembers(["carol"], to: group)
        await pair.one.conversations.until { $0.first?.conversation?.members == ["alice", "bob", "carol"] }
        try await pair.one.removeMembers(["bob"], from: group)
        await pair.other.conversations.until { $0.isEmpty }
    }

    @Test("G8: what is on the device comes first, and the rest by itself")
    func localFirst() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        await pair.other.disconnect()
        try await pair.writing.send("missed")
        await pair.writing.until { $0.areSent.last == true }
        let again = try await pair.bob.start()
        let timeline = try await again.timeline(with: "@alice")
        #expect(timeline.texts == ["hello"], "before there is a session")
        await again.connect()
        await timeline.until { $0.texts == ["hello", "missed"] }
    }

    @Test("G9, G13: after a loss the session comes back by itself: first the queue, and what was missed")
    func reconnects() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.relay.crash()
        try await pair.writing.send("after the crash")
        await pair.reading.until { $0.texts == ["hello", "after the crash"] }
        await pair.writing.until { $0.states.last == .delivered(count: 1, others: 1) }
    }

    @Test("G10: read marks queue as well, and one message that can't be sent holds up only its conversation")
    func poisonItem() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        try await pair.reading.send("read me")
        await pair.writing.until { $0.texts.last == "read me" }
        pair.cutOff()
        await pair.one.until { $0.connection != .connected }
        pair.relay.refuseNext("send", .tooLarge)
        let poison = try await pair.writing.send("poison")
        try await pair.writing.send("behind it")
        let carol = try await pair.one.timeline(with: "@carol")
        try await carol.send("hi carol")
        try await pair.writing.seen(upTo: SequenceNumber(2))
        await pair.back()
        await carol.until { $0.areSent == [true] }
        await pair.reading.until { $0.states.last == .read(count: 1, others: 1) }
        let stuck = await pair.writing.until { $0.firstFailure?.reason == .tooLong }
        #expect(stuck.texts.suffix(2) == ["poison", "behind it"] && stuck.states.last == .sending)
        try await pair.writing.discard(try #require(stuck.messages.first { $0.id == poison }?.outboxItem))
        await pair.reading.until { $0.texts == ["hello", "read me", "behind it"] }
    }

    @Test("G11: every state of the connection, and how much is unsent")
    func connectionStates() async throws {
        let relay = TestRelay()
        let alice = try Device("alice", on: relay)
        relay.setReachable(false)
        let roost = try await alice.start()
        #expect(roost.connection == .offline)
        try await roost.timeline(with: "@bob").send("hi")
        await roost.until { $0.pendingCount == 1 }
        await roost.connect()
        await roost.until { if case .waiting = $0.connection { true } else { false } }
        relay.setReachable(true)
        await roost.until { $0.connection == .connected && $0.pendingCount == 0 }
        relay.close(CloseCode.takenOver.rawValue, "elsewhere")
        await roost.until { $0.connection == .failed(.takenOver) }
        await roost.connect()
        await roost.until { $0.connection == .connected }
        relay.close(CloseCode.unauthorized.rawValue, "revoked")
        await roost.until { $0.connection == .failed(.signedOut) }
        #expect(roost.sentences.banner(for: roost.snapshot) == "Please sign in again.")
    }

    @Test("G14: the last fifty at first, and more on scrolling")
    func lastFifty() async throws {
        let pair = try await Pair()
        for number in 1...70 { try await pair.writing.send("\(number)") }
        await pair.one.until { $0.pendingCount == 0 }
        let opened = try await pair.one.timeline(with: "@bob")
        #expect(opened.texts == (21...70).map(String.init) && opened.snapshot.hasOlder)
        try await opened.loadOlder()
        await opened.until { $0.texts == (1...70).map(String.init) }
    }

    @Test("G15: typing ends three seconds after the last letter")
    func typing() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.writing.draft = "H"
        try await pair.writing.saveDraft()
        await pair.reading.until { $0.typing == ["alice"] }
        // A later message shows that the earlier ones have been passed on.
        try await pair.reading.send("go on")
        let later = await pair.reading.until { $0.states.last == .delivered(count: 1, others: 1) }
        #expect(later.typing == ["alice"])
        pair.relay.advance(.seconds(3))
        await pair.reading.until { $0.typing.isEmpty }
    }

    @Test("G16: 10,000 characters are sent, in Hindi, too; 20,001 scalars fail, and so does nothing but white space")
    func lengths() async throws {
        let pair = try await Pair { $0.goesOnAfterFailures = true }
        let words = Array("सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। ")
        let hindi = String((0..<10_000).map { words[$0 % words.count] })
        let texts = [String(repeating: "a", count: 10_000), hindi, String(repeating: "🇮🇳", count: 10_000)]
        for text in texts { try await pair.writing.send(text) }
        await pair.reading.until { $0.texts == texts }
        #expect(pair.reading.texts.allSatisfy { $0.count == 10_000 })
        try await pair.writing.send(String(repeating: "a", count: 20_001))
        let long = await pair.writing.until { $0.firstFailure != nil }
        #expect(long.firstFailure?.reason == .tooLong && long.firstFailure?.canRetry == false)
        #expect(pair.one.sentences.sentence(for: try #require(long.firstFailure)) == "This message is too long.")
        try await pair.writing.discard(try #require(long.messages.last?.outboxItem))
        try await pair.writing.send(" \n ")
        await pair.writing.until { $0.firstFailure?.reason == .notAccepted }
    }

    @Test("G18: what comes twice is there once")
    func noDoubles() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        // The reader's acks are lost with the connection, so that the relay sends again.
        for number in 1...5 {
            try await pair.writing.send("\(number)")
            pair.relay.cut("bob")
        }
        await pair.reading.until { $0.texts == ["hello", "1", "2", "3", "4", "5"] }
        #expect(Set(pair.reading.items.map(\.id)).count == 6)
    }

    @Test("G25: the sentences of the app")
    func sentences() {
        let sentences = Sentences()
        #expect(sentences.offline == "No internet connection. Message will send when you're back online.")
        #expect(sentences.unreachable == "Failed to send message. Tap to retry.")
        #expect(sentences.sentence(for: RoostFailure.notConnected).hasPrefix("Something went wrong: "))
    }
}
