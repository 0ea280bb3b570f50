import Foundation
import Observation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The code of `Screens.md`, `ForegroundAndBackground.md`, `KeptOnTheDevice.md` and `SeveralUsers.md` that needs
/// nothing of Apple's.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct ScreensArticleTests {
    private let relay = TestRelay()

    // article
    func follow(_ timeline: ConversationTimeline, draw: @escaping ([TimelineItem]) -> Void) -> Task<Void, Never> {
        Task {
            for await now in timeline.snapshots() { draw(now.items) }
        }
    }
    // end

    // article
    func drawBadge(of roost: Roost, draw: @escaping @MainActor (Int) -> Void) {
        withObservationTracking {
            draw(roost.badge)
        } onChange: {
            // A change is announced before it is made.
            Task { @MainActor in drawBadge(of: roost, draw: draw) }
        }
    }
    // end

    // article
    struct ReachabilityMonitor: NetworkMonitor {
        let changes: AsyncStream<Bool>

        func statuses() -> AsyncStream<NetworkStatus> {
            AsyncStream { continuation in
                let reader = Task {
                    for await isReachable in changes { continuation.yield(NetworkStatus(isReachable: isReachable)) }
                    continuation.finish()
                }
                continuation.onTermination = { _ in reader.cancel() }
            }
        }
    }
    // end

    // article
    func fetchInBackground(_ settings: RoostSettings) async throws -> Int {
        try await Roost.fetch(settings, within: .seconds(25)).badge
    }
    // end

    // article
    func share(_ text: String, with destination: String, _ settings: RoostSettings) async throws {
        let roost = try await Roost(settings)
        try await roost.timeline(with: destination).send(text)
    }
    // end

    // article
    func settings(for user: String, in folder: URL, _ template: RoostSettings) -> RoostSettings {
        var settings = template
        settings.user = user
        settings.file = folder.appending(path: "\(user).db")
        return settings
    }
    // end

    // article
    func signOut(_ roost: Roost, confirm: (Int) async -> Bool) async throws -> Bool {
        if roost.pendingCount > 0, await !confirm(roost.pendingCount) { return false }
        try await roost.signOut()
        return true
    }
    // end

    private func settings(_ device: Device) -> RoostSettings {
        let token = relay.token(for: device.user)
        var settings = RoostSettings(
            relay: URL(filePath: "/"), file: URL(filePath: device.path), device: "phone",
            connector: relay.connector
        ) { token }
        settings.generator = CountingGenerator()
        return settings
    }

    @Test func aReaderDrawsWhatChanges() async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        var drawn: [[TimelineItem]] = []
        let reader = follow(timeline) { drawn.append($0) }
        try await timeline.send("hi")
        await timeline.until { $0.states == [.sent] }
        reader.cancel()
        await reader.value
        #expect(drawn.first == [] || drawn.first?.count == 1)
        #expect(!drawn.isEmpty)
    }

    @Test func theBadgeIsObserved() async throws {
        let roost = try await Device("alice", on: relay).online()
        let other = try await Device("bob", on: relay).online()
        let (drawn, draw) = AsyncStream<Int>.makeStream()
        drawBadge(of: roost) { draw.yield($0) }
        let timeline = try await other.timeline(with: "@alice")
        for number in 1...2 {
            try await timeline.send("hi")
            for await badge in drawn where badge == number { break }
        }
    }

    @Test func anOwnMonitorTellsOfTheNetwork() async throws {
        let device = try Device("alice", on: relay)
        let (changes, change) = AsyncStream<Bool>.makeStream()
        device.network = ReachabilityMonitor(changes: changes)
        let roost = try await device.online()
        change.yield(false)
        await roost.until { $0.network?.isReachable == false }
        change.yield(true)
        await roost.until { $0.network?.isReachable == true }
        change.finish()
    }

    @Test func aFetchInTheBackgroundBringsMessagesAndNoPresence() async throws {
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        let other = try await bob.online()
        let timeline = try await other.timeline(with: "@alice")
        try await timeline.send("hi")
        await timeline.until { $0.states == [.sent] }
        #expect(try await fetchInBackground(settings(alice)) == 1)
        await timeline.until { $0.states == [.delivered(count: 1, others: 1)] }
        #expect(!other.person("alice").isOnline && other.person("alice").lastSeen == nil)
        // It came to stay.
        relay.setReachable(false)
        let opened = try await Roost(settings(alice))
        #expect(try await opened.timeline(with: "@bob").texts == ["hi"])
    }

    /// An extension puts a message into the outbox, and the app that has the session sends and shows it.
    @Test func theAppSendsWhatAnExtensionShares() async throws {
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        let roost = try await alice.online()
        let shown = try await roost.timeline(with: "@bob")
        let others = try await bob.online()
        let other = try await others.timeline(with: "@alice")
        try await share("a picture", with: "@bob", settings(alice))
        await shown.until { $0.texts == ["a picture"] && $0.areSent == [true] }
        await other.until { $0.texts == ["a picture"] }
    }

    @Test func everyUserHasAFile() async throws {
        let device = try Device("alice", on: relay)
        let folder = URL(filePath: device.path).deletingLastPathComponent()
        let alice = try await Roost(settings(for: "alice", in: folder, settings(device)))
        try await alice.timeline(with: "@bob").send("Alice's")
        let bob = try await Roost(settings(for: "bob", in: folder, settings(device)))
        #expect(try await bob.timeline(with: "@bob").items.isEmpty && bob.pendingCount == 0)
        await alice.until { $0.pendingCount == 1 }
        var asked = 0
        let isGone = try await signOut(alice) { count in
            asked = count
            return false
        }
        #expect(!isGone && asked == 1 && alice.pendingCount == 1)
        #expect(try await signOut(alice) { _ in true })
        await alice.until { $0.pendingCount == 0 }
    }
}
