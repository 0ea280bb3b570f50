import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The number on the app's icon: the relay's, and what the device itself knows better.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct BadgeTests {
    private let relay = TestRelay()

    @Test func aStartWithoutANetworkShowsWhatTheRelaySaidLast() async throws {
        let device = try Device("alice", on: relay)
        var roost: Roost? = try await device.online()
        relay.write(["one", "two", "three"], from: "bob", to: "@alice")
        await roost?.until { $0.badge == 3 }
        await roost?.disconnect()
        roost = nil
        relay.setReachable(false)
        let again = try await device.start()
        await again.until { $0.badge == 3 }
        // Messages read without a session are subtracted at once.
        let timeline = try await again.timeline(with: "@bob")
        try await timeline.seen(upTo: SequenceNumber(2))
        await again.until { $0.badge == 1 }
        relay.setReachable(true)
        await again.connect()
        await again.until { $0.isUpToDate }
        #expect(again.badge == 1, "the relay doesn't know yet, and its number doesn't come back")
        let tablet = try await Device("alice", on: relay, name: "tablet").online()
        await tablet.until { $0.badge == 1 }
    }

    @Test func readingOnOneDeviceChangesTheOthers() async throws {
        let phone = try await Device("alice", on: relay).online()
        let laptop = try await Device("alice", on: relay, name: "laptop").online()
        relay.write(["one", "two"], from: "bob", to: "@alice")
        for roost in [phone, laptop] { await roost.until { $0.badge == 2 } }
        let timeline = try await phone.timeline(with: "@bob")
        try await timeline.seen(upTo: SequenceNumber(2))
        for roost in [phone, laptop] { await roost.until { $0.badge == 0 } }
    }

    @Test func aMuteEndsByTheRelaysClock() async throws {
        let roost = try await Device("alice", on: relay).online()
        relay.write(["one", "two"], from: "bob", to: "@alice")
        await roost.until { $0.badge == 2 }
        let id = try #require(roost.conversations.rows.first?.id)
        // The relay's clock began there, and goes only on by moments.
        try await roost.settings.setMute(.until(Timestamp(milliseconds: 1_700_003_600_000)), of: id)
        await roost.until { $0.badge == 0 }
        relay.advance(.seconds(7_200))
        await roost.until { $0.badge == 2 }
    }

    @Test func aNewDeviceHasItAtOnce() async throws {
        let phone = try await Device("alice", on: relay).online()
        relay.write(["one", "two"], from: "bob", to: "@alice")
        await phone.until { $0.badge == 2 }
        let tablet = try await Device("alice", on: relay, name: "tablet").online()
        #expect(tablet.badge == 2)
    }
}
