import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The needs of the chat of international communicators (seed Pingrrr), requirement by requirement.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct PingrrrJourneyTests {
    @Test("P4: a message shows at once, and goes from sending to read")
    func optimisticStates() async throws {
        let pair = try await Pair()
        pair.cutOff()
        let id = try await pair.writing.send("¿Dónde estás?")
        await pair.writing.until { $0.states == [.sending] }
        await pair.back()
        await pair.writing.until { $0.states == [.delivered(count: 1, others: 1)] }
        await pair.reading.until { $0.texts == ["¿Dónde estás?"] }
        try await pair.reading.seen(upTo: SequenceNumber(1))
        let end = await pair.writing.until { $0.states == [.read(count: 1, others: 1)] }
        #expect(end.items.map(\.id) == [id])
    }

    @Test("P5: who has read a message, and when")
    func readBy() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        #expect(try await pair.writing.readers(of: SequenceNumber(1)).isEmpty)
        try await pair.reading.seen(upTo: SequenceNumber(1))
        await pair.writing.until { $0.states == [.read(count: 1, others: 1)] }
        let readers = try await pair.writing.readers(of: SequenceNumber(1))
        #expect(readers.map(\.person.user) == ["bob"])
        #expect(try #require(readers.first?.time) > .distantPast)
    }

    @Test("P6: who types is shown, and no longer after the message")
    func typingUsers() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.writing.draft = "How are"
        try await pair.writing.saveDraft()
        await pair.reading.until { $0.typing == ["alice"] }
        try await pair.writing.send("How are you?")
        let after = await pair.reading.until { $0.texts.last == "How are you?" }
        #expect(after.typing.isEmpty)
    }

    @Test("P7: online, offline with last seen, and offline by choice")
    func onlineStatus() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        await pair.other.untilPresence { $0["alice"]?.state == .online }
        try await pair.one.client.setStatus(.invisible)
        await pair.other.untilPresence { $0["alice"]?.state == .offline }
        try await pair.one.client.setStatus(.auto)
        await pair.other.untilPresence { $0["alice"]?.state == .online }
        await pair.one.disconnect()
        await pair.other.untilPresence { $0["alice"]?.state == .offline }
        #expect(try #require(pair.other.person("alice").lastSeen) > .distantPast)
    }

    @Test("P8: airplane mode queues, and coming back sends in order and brings what was missed")
    func airplaneMode() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.cutOff()
        for text in ["one", "two", "three"] { try await pair.writing.send(text) }
        await pair.one.until { $0.pendingCount == 3 && $0.connection != .connected }
        try await pair.reading.send("meanwhile")
        await pair.reading.until { $0.areSent.last == true }
        await pair.back()
        await pair.one.until { $0.pendingCount == 0 && $0.isUpToDate }
        await pair.writing.until { $0.texts == ["hello", "meanwhile", "one", "two", "three"] }
        await pair.reading.until { $0.texts == ["hello", "meanwhile", "one", "two", "three"] }
    }

    @Test("P9: after a force quit, messages and what waits are there without a network")
    func forceQuit() async throws {
        let relay = TestRelay()
        let alice = try Device("alice", on: relay)
        do {
            let roost = try await alice.online()
            let timeline = try await roost.timeline(with: "@bob")
            try await timeline.send("stored")
            await timeline.until { $0.areSent == [true] }
            relay.setReachable(false)
            relay.cut()
            try await timeline.send("waits")
        }
        let again = try await alice.start()
        let timeline = try await again.timeline(with: "@bob")
        #expect(timeline.texts == ["stored", "waits"] && timeline.snapshot.states == [.sent, .sending])
        #expect(again.conversations.rows.first?.last?.text == "waits")
        relay.setReachable(true)
        await again.connect()
        await timeline.until { $0.states == [.sent, .sent] }
        let conversation = try #require(timeline.conversation?.id)
        #expect(relay.bodies(of: conversation, seenBy: "alice") == ["stored", "waits"])
    }

    @Test("P10: a network that breaks again and again loses and doubles nothing")
    func poorNetwork() async throws {
        let pair = try await Pair()
        for number in 1...12 {
            if number.isMultiple(of: 3) { pair.relay.loseNextAnswer(to: "send") }
            if number.isMultiple(of: 5) { pair.relay.cut() }
            try await pair.writing.send("\(number)")
        }
        await pair.reading.until { $0.texts == (1...12).map(String.init) }
        await pair.one.until { $0.pendingCount == 0 }
        #expect(pair.stored == (1...12).map(String.init))
    }

    @Test("P11: twenty-five rapid messages keep their order")
    func rapidMessages() async throws {
        let pair = try await Pair()
        for number in 1...25 { try await pair.writing.send("\(number)") }
        await pair.reading.until { $0.texts == (1...25).map(String.init) }
        await pair.writing.until { $0.texts == (1...25).map(String.init) }
    }

    @Test("P12, P13, P14: members, the last message and the unread of a conversation")
    func conversationFields() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        try await pair.writing.send("second")
        let rows = await pair.other.conversations.until { $0.first?.unread == 2 }
        let row = try #require(rows.first)
        #expect(Set(row.conversation?.members ?? []) == ["alice", "bob"] && row.peer == "alice")
        #expect(row.last?.text == "second" && row.last?.from == "alice")
        #expect(try #require(row.last?.time) > .distantPast)
        #expect(pair.one.conversations.rows.first?.unread == 0)
    }

    @Test("P15: large conversations come in pages")
    func pagination() async throws {
        let pair = try await Pair()
        for number in 1...130 { try await pair.writing.send("\(number)") }
        await pair.one.until { $0.pendingCount == 0 }
        let laptop = try Device("bob", on: pair.relay, name: "laptop")
        let roost = try await laptop.online()
        let timeline = try await roost.timeline(with: "@alice")
        await timeline.until { $0.texts.last == "130" && $0.items.count >= 50 }
        while timeline.snapshot.hasOlder {
            let count = timeline.items.count
            try await timeline.loadOlder()
            await timeline.until { $0.items.count > count || !$0.hasOlder }
        }
        #expect(timeline.texts == (1...130).map(String.init))
    }

    @Test("P16: pictures and recordings are messages of their own kinds, also without a network")
    func media() async throws {
        let pair = try await Pair()
        pair.cutOff()
        let image = try #require(MessageBody(json: Array(#"{"url":"https://example.org/a.jpg","width":640}"#.utf8)))
        let voice = try #require(MessageBody(json: Array(#"{"url":"https://example.org/b.m4a","seconds":7.5}"#.utf8)))
        try await pair.writing.send(kind: "image", image)
        try await pair.writing.send(kind: "voice", voice)
        await pair.back()
        let got = await pair.reading.until { $0.items.count == 2 }
        #expect(got.messages.map(\.kind) == ["image", "voice"])
        #expect(got.messages.compactMap(\.body) == [image, voice], "byte for byte")
    }

    @Test("P37: sentences for what waits and what failed")
    func sentences() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.cutOff()
        try await pair.writing.send("later")
        await pair.one.until { $0.pendingCount == 1 && $0.connection != .connected }
        #expect(pair.one.sentences.banner(for: pair.one.snapshot)?.hasPrefix("No internet connection.") == true)
        pair.one.sentences.offline = "No internet connection. Message queued."
        #expect(pair.one.sentences.banner(for: pair.one.snapshot) == "No internet connection. Message queued.")
        await pair.back()
        await pair.one.until { $0.pendingCount == 0 }
        #expect(pair.one.sentences.banner(for: pair.one.snapshot) == nil)
    }

    @Test("P38: what happens on another device of the user shows here")
    func otherDevices() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        let laptop = try Device("bob", on: pair.relay, name: "laptop")
        let second = try await laptop.online()
        let there = try await second.timeline(with: "@alice")
        await there.until { $0.texts == ["hello"] }
        await pair.other.until { $0.badge == 1 }
        try await there.seen(upTo: SequenceNumber(1))
        await pair.other.until { $0.badge == 0 }
        try await there.send("from the laptop")
        let here = await pair.reading.until { $0.texts.last == "from the laptop" }
        #expect(here.messages.last?.isOwn == true)
        await pair.writing.until { $0.texts.last == "from the laptop" }
    }

    @Test("Group chat: three people each write, and all get everything")
    func groupChat() async throws {
        let relay = TestRelay()
        let devices = try ["alice", "bob", "carol"].map { try Device($0, on: relay) }
        var roosts: [Roost] = []
        for device in devices { roosts.append(try await device.online()) }
        let group = try await roosts[0].createGroup("Friends", members: ["bob", "carol"])
        var timelines: [ConversationTimeline] = []
        for roost in roosts {
            await roost.conversations.until { $0.first?.title == "Friends" }
            timelines.append(try await roost.timeline(with: group))
        }
        for (number, timeline) in timelines.enumerated() { try await timeline.send("from \(number)") }
        for timeline in timelines {
            let now = await timeline.until { now in
                now.messages.count == 3 && now.messages.allSatisfy { $0.sequence != nil }
            }
            #expect(Set(now.texts) == ["from 0", "from 1", "from 2"])
        }
    }
}
