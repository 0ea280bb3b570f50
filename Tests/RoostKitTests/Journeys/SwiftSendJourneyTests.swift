import RoostClient
import RoostKit
import RoostLock
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The needs of the app with translations for messages (seed swift-send). Its functions with a language model aren't
/// the client library's.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct SwiftSendJourneyTests {
    @Test("S4, S21: whoever looks at a conversation sees messages and changes as they happen")
    func observers() async throws {
        let pair = try await Pair()
        let seen = Task { @MainActor in
            var texts: [String] = []
            for await now in pair.reading.snapshots() {
                if let text = now.texts.first, texts.last != text { texts.append(text) }
                if texts.count == 2 { break }
            }
            return texts
        }
        let id = try await pair.writing.send("Hola")
        await pair.reading.until { $0.texts == ["Hola"] }
        try await pair.writing.edit(id, "Hola (hello)")
        #expect(await seen.value == ["Hola", "Hola (hello)"])
    }

    @Test("S8: what the user chose about others is told to all devices of the user")
    func settingsOfTheUser() async throws {
        let pair = try await Pair()
        let laptop = try Device("alice", on: pair.relay, name: "laptop")
        let second = try await laptop.online()
        try await pair.one.client.setStatus(.busy, text: "Translating")
        await second.until { $0.status.state == .busy && $0.status.text == "Translating" }
        await pair.one.until { $0.status.state == .busy }
    }

    @Test("S15: a token is asked for before each connection, and one that can't be had is asked for again")
    func tokens() async throws {
        let asked = Locked(0)
        let relay = TestRelay()
        let alice = try Device("alice", on: relay)
        alice.adjust = { settings in
            settings.token = {
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                // The backend can't be reached once.
                if count == 2 { throw RoostFailure.notConnected }
                return "alice"
            }
        }
        let roost = try await alice.online()
        #expect(asked.withLock { $0 } == 1)
        relay.cut()
        await roost.until { $0.connection == .connected && asked.withLock { $0 } == 3 }
        #expect(asked.withLock { $0 } == 3)
    }

    @Test("S22: what was read is there without a network")
    func offlineCache() async throws {
        let pair = try await Pair()
        for number in 1...60 { try await pair.writing.send("\(number)") }
        await pair.reading.until { $0.texts.last == "60" }
        await pair.other.disconnect()
        pair.relay.setReachable(false)
        pair.relay.cut()
        let again = try await pair.bob.start()
        let timeline = try await again.timeline(with: "@alice")
        #expect(timeline.texts == (11...60).map(String.init) && timeline.snapshot.hasOlder)
        try await timeline.loadOlder()
        await timeline.until { $0.texts == (1...60).map(String.init) && !$0.hasOlder }
        await again.until { $0.badge == 60 }
    }
}
