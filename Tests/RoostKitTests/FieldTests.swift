import Foundation
import RoostKit
import RoostLock
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// Support for apps in the field: a log, counters, a fetch in one call, previews, and the behaviour without a file.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct FieldTests {
    private let relay = TestRelay()

    @Test func theLogTellsWhatHappenedAndNoText() async throws {
        let lines = Locked<[RoostLogEntry]>([])
        let device = try Device("alice", on: relay)
        device.adjust = { $0.log = { entry in lines.withLock { $0.append(entry) } } }
        let roost = try await device.online()
        let timeline = try await roost.timeline(with: "@bob")
        try await timeline.stored(try await timeline.send("a secret"))
        relay.refuseNext("send", .tooLarge)
        await #expect(throws: SendFailure.self) { try await timeline.stored(try await timeline.send("a secret")) }
        await roost.disconnect()
        let told = lines.withLock { $0 }
        #expect(
            told.map(\.event) == [
                .opened(saved: nil), .connected(isResumed: false), .upToDate, .sent, .refused(code: "too_large"),
            ])
        #expect(!told.contains { $0.description.contains("secret") || $0.description.contains("bob") })
        let counters = await roost.counters()
        #expect((counters.sessions, counters.sent, counters.refused, counters.waiting) == (1, 1, 1, 1))
        #expect(counters.losses == 0 && counters.storeBytes > 0)
    }

    @Test func aLossIsToldAndCounted() async throws {
        let (lines, line) = AsyncStream.makeStream(of: RoostLogEntry.self)
        let device = try Device("alice", on: relay)
        device.adjust = { $0.log = { line.yield($0) } }
        let roost = try await device.online()
        relay.crash()
        var sessions = 0
        var losses: [RoostLogEntry] = []
        for await entry in lines where sessions < 2 {
            if case .connected = entry.event { sessions += 1 }
            if case .disconnected = entry.event { losses.append(entry) }
            if sessions == 2 { break }
        }
        let counters = await roost.counters()
        #expect(counters.sessions == 2 && counters.losses == losses.count)
        #expect(!losses.isEmpty && losses.allSatisfy { $0.level == .warning })
    }

    /// A fetch brings what was missed, sends what waits, and ends although the relay has refused something.
    @Test func aFetchIsOneCall() async throws {
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        let other = try await bob.online()
        try await other.timeline(with: "@alice").send("hi")
        await other.until { $0.pendingCount == 0 }
        do {
            let typed = try await alice.start()
            try await typed.timeline(with: "@carol").send("waits")
        }
        let settings = alice.settings()
        let fetched = try await Roost.fetch(settings, within: .seconds(60))
        #expect((fetched.badge, fetched.isComplete, fetched.failure) == (1, true, nil))
        relay.refuseNext("send", .tooLarge)
        do {
            let typed = try await alice.start()
            try await typed.timeline(with: "@carol").send("too long")
        }
        #expect(try await Roost.fetch(settings, within: .seconds(60)).isComplete)
    }

    /// Without a relay it ends when its time is over.
    @Test func aFetchEnds() async throws {
        let alice = try Device("alice", on: relay)
        relay.setReachable(false)
        let clock = ManualClock()
        alice.adjust = { $0.clock = clock }
        let settings = alice.settings()
        async let fetched = Roost.fetch(settings, within: .seconds(25))
        await clock.pass(.seconds(25))
        #expect(try await fetched.isComplete == false)
    }

    @Test func withoutAFileItGoesOnInMemory() async throws {
        let device = try Device("alice", on: relay)
        device.adjust = { settings in
            settings.file = URL(filePath: "/nowhere/at/all/roost.db")
            settings.unusableFile = .useMemory
        }
        let roost = try await device.online()
        #expect(roost.unusable != nil)
        let timeline = try await roost.timeline(with: "@bob")
        #expect(try await timeline.stored(try await timeline.send("hi")).text == "hi")
        device.adjust = { $0.file = URL(filePath: "/nowhere/at/all/roost.db") }
        await #expect(throws: LocalFailure.self) { try await device.start() }
        device.adjust = { $0.file = nil }
        #expect(try await device.online().unusable == nil)
    }
}
