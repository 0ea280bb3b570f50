import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The needs of the trainers' app (seed Psst), requirement by requirement.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct PsstJourneyTests {
    @Test("T1: one to one and groups, with names, members, the last message and times")
    func conversations() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.relay.advance(.seconds(1))
        _ = try await pair.one.createGroup("Clients", members: ["bob", "carol"])
        let rows = await pair.other.conversations.until { $0.count == 2 }
        #expect(rows.map(\.title) == ["Clients", "alice"])
        #expect(rows.compactMap(\.conversation?.kind) == [.group, .direct])
        #expect(rows.first?.conversation?.members == ["alice", "bob", "carol"] && rows.first?.last == nil)
        let times = rows.compactMap(\.conversation?.time)
        #expect(times == times.sorted(by: >) && rows.last?.last?.text == "hello")
    }

    @Test("T2: the members of a group who have read a message, and not those who haven't")
    func readReceiptDetail() async throws {
        let relay = TestRelay()
        let pair = try await Pair(on: relay)
        let device = try Device("carol", on: relay)
        let carol = try await device.online()
        let group = try await pair.one.createGroup("Clients", members: ["bob", "carol"])
        let writing = try await pair.one.timeline(with: group)
        try await writing.send("Monday at six?")
        await carol.conversations.until { $0.first?.last != nil }
        let reading = try await carol.timeline(with: group)
        await reading.until { $0.texts == ["Monday at six?"] }
        try await reading.seen(upTo: SequenceNumber(1))
        await writing.until { $0.states == [.read(count: 1, others: 2)] }
        let readers = try await writing.readers(of: SequenceNumber(1))
        #expect(readers.map(\.person.user) == ["carol"])
    }

    @Test("T3: pages of one hundred")
    func lastHundred() async throws {
        let relay = TestRelay()
        let token = relay.token(for: "alice")
        let alice = ChatClient(url: "ws://test/v1/socket", device: "bot", connector: relay.connector) { token }
        await alice.connect()
        for number in 1...260 { _ = try await alice.send("\(number)", to: "@bob") }
        await alice.disconnect()
        // A device that isn't the user's first gets the conversations, and asks for their messages.
        let phone = try Device("bob", on: relay)
        _ = try await phone.online()
        let laptop = try Device("bob", on: relay, name: "laptop")
        let roost = try await laptop.online()
        let timeline = try await roost.timeline(with: "@alice")
        await timeline.until { $0.texts == (211...260).map(String.init) }
        // The page that was asked for when it opened.
        try await timeline.loadOlder()
        await timeline.until { $0.texts == (161...260).map(String.init) }
        try await timeline.loadOlder()
        await timeline.until { $0.texts == (61...260).map(String.init) }
    }

    @Test("T4: sending, delivered and failed")
    func states() async throws {
        let pair = try await Pair { $0.goesOnAfterFailures = true }
        pair.relay.refuseNext("send", .badRequest)
        try await pair.writing.send("refused")
        let failed = await pair.writing.until { $0.firstFailure != nil }
        #expect(failed.firstFailure?.canRetry == false && failed.firstFailure?.reason == .notAccepted)
        try await pair.writing.send("taken")
        await pair.writing.until { $0.states.first == .delivered(count: 1, others: 1) }
    }

    @Test("T5: who types, in groups too, and no longer when the connection ends")
    func typing() async throws {
        let pair = try await Pair()
        let group = try await pair.one.createGroup("Clients", members: ["bob", "carol"])
        let writing = try await pair.one.timeline(with: group)
        await pair.other.conversations.until { $0.first?.title == "Clients" }
        let reading = try await pair.other.timeline(with: group)
        writing.draft = "How"
        try await writing.saveDraft()
        await reading.until { $0.typing == ["alice"] }
        // The relay is without a grace here: it sends the end at once.
        pair.cutOff()
        await reading.until { $0.typing.isEmpty }
    }

    @Test("T6: a lost connection shows as offline after the grace, with the relay's time")
    func presence() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        await pair.other.untilPresence { $0["alice"]?.state == .online }
        pair.cutOff()
        pair.relay.advance(.seconds(5))
        // A later message shows that the earlier ones have been passed on.
        try await pair.reading.send("still there?")
        await pair.reading.until { $0.areSent.last == true }
        #expect(pair.other.person("alice").isOnline)
        pair.relay.advance(.seconds(10))
        await pair.other.untilPresence { $0["alice"]?.state == .offline }
        #expect(try #require(pair.other.person("alice").lastSeen) > .distantPast)
    }

    @Test("T7: how many members of a group are there")
    func groupPresence() async throws {
        let pair = try await Pair()
        let group = try await pair.one.createGroup("Clients", members: ["bob", "carol"])
        let timeline = try await pair.one.timeline(with: group)
        await timeline.until { $0.online == OnlineCount(group, online: 2, of: 3) }
        await pair.other.disconnect()
        await timeline.until { $0.online == OnlineCount(group, online: 1, of: 3) }
    }

    @Test("T8: a bar while there is no network, and what waits goes out afterwards, one at a time")
    func queue() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.cutOff()
        await pair.one.until { $0.connection != .connected }
        for number in 1...20 { try await pair.writing.send("\(number)") }
        let waiting = await pair.writing.until { $0.items.count == 21 }
        #expect(waiting.states.dropFirst().allSatisfy { $0 == .sending })
        await pair.one.until { $0.pendingCount == 20 }
        #expect(pair.one.sentences.banner(for: pair.one.snapshot) == pair.one.sentences.offline)
        await pair.back()
        await pair.reading.until { $0.texts == ["hello"] + (1...20).map(String.init) }
    }

    @Test("T21: without a network groups say so; writing doesn't fail")
    func offlineErrors() async throws {
        let pair = try await Pair()
        try await pair.greeted()
        pair.cutOff()
        await pair.one.until { $0.connection != .connected }
        await #expect(throws: RoostFailure.notConnected) {
            try await pair.one.createGroup("Clients", members: ["bob"])
        }
        try await pair.writing.send("fine")
        await pair.one.until { $0.pendingCount == 1 }
    }

    @Test("T28: members of a group see each other's presence before they have written to each other")
    func peers() async throws {
        let relay = TestRelay()
        let pair = try await Pair(on: relay)
        let device = try Device("carol", on: relay)
        let carol = try await device.online()
        _ = try await pair.one.createGroup("Clients", members: ["bob", "carol"])
        await carol.conversations.until { $0.first?.title == "Clients" }
        try await carol.followPresence(of: ["bob"])
        await carol.untilPresence { $0["bob"]?.state == .online }
        await pair.other.disconnect()
        await carol.untilPresence { $0["bob"]?.state == .offline }
    }
}
