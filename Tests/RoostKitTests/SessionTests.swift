import Observation
import RoostClient
import RoostStore
import RoostTestClient
import RoostWire
import Testing

@testable import RoostKit

/// The session as an app sees it: how it ends, how it begins again, and who is there.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct SessionTests {
    private let relay = TestRelay()

    // MARK: Beginning anew

    @Test func connectingAgainAfterDisconnecting() async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        for round in 1...3 {
            await roost.disconnect()
            await roost.until { $0.connection == .offline }
            try await timeline.send("\(round)")
            await roost.until { $0.pendingCount == 1 }
            await roost.connect()
            await timeline.until { $0.states.count == round && $0.states.allSatisfy { $0 == .sent } }
        }
        #expect(timeline.texts == ["1", "2", "3"])
    }

    @Test func aRefusedTokenEndsTheSessionUntilThereIsAnother() async throws {
        let roost = try await Device("alice", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        relay.close(CloseCode.unauthorized.rawValue, "revoked")
        await roost.until { $0.connection == .failed(.signedOut) }
        #expect(roost.sentences.banner(for: roost.snapshot) == Sentences().signedOut)
        try await timeline.send("hi")
        await roost.connect()
        await timeline.until { $0.areSent == [true] }
        await roost.until { $0.connection == .connected && $0.isUpToDate }
    }

    @Test func disconnectingFirstDoesNotStopALaterConnect() async throws {
        let roost = try await Device("alice", on: relay).start()
        await roost.disconnect()
        await roost.connect()
        await roost.until { $0.isUpToDate }
    }

    @Test func theLastOfConnectAndDisconnectCounts() async throws {
        let roost = try await Device("alice", on: relay).online()
        for _ in 1...20 {
            async let goodbye: Void = roost.disconnect()
            async let back: Void = roost.connect()
            _ = await (goodbye, back)
            await roost.connect()
            await roost.until { $0.connection == .connected }
        }
        let timeline = try await roost.timeline(with: "@bob")
        try await timeline.send("hi")
        await timeline.until { $0.areSent == [true] }
    }

    @Test func activityIsSaidOnTheNextSessionToo() async throws {
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        let roost = try await alice.online()
        let timeline = try await roost.timeline(with: "@bob")
        try await timeline.send("hi")
        await timeline.until { $0.areSent == [true] }
        await roost.disconnect()
        await roost.setActivity(.background)
        let other = try await bob.online()
        _ = try await other.timeline(with: "@alice")
        await roost.connect()
        await roost.until { $0.isUpToDate }
        await other.untilPresence { $0["alice"]?.state == .offline }
        await roost.setActivity(.active)
        await other.untilPresence { $0["alice"]?.state == .online }
    }

    // MARK: The network

    @Test func aNetworkThatIsBackIsTriedAtOnce() async throws {
        let device = try Device("alice", on: relay)
        // Longer than the test may take.
        (device.clientLimits.backoffFirst, device.clientLimits.backoffMax) = (.seconds(3_600), .seconds(3_600))
        let network = Network()
        device.network = network
        let roost = try await device.online()
        relay.setReachable(false)
        relay.cut()
        network.tell(NetworkStatus(isReachable: false))
        await roost.until { if case .waiting = $0.connection { $0.network?.isReachable == false } else { false } }
        relay.setReachable(true)
        network.tell(NetworkStatus(isReachable: true, kind: .wifi))
        await roost.until { $0.connection == .connected && $0.network?.kind == .wifi }
    }

    private final class Network: NetworkMonitor {
        private let (stream, continuation) = AsyncStream<NetworkStatus>.makeStream()

        func statuses() -> AsyncStream<NetworkStatus> { stream }

        func tell(_ status: NetworkStatus) { continuation.yield(status) }
    }

    // MARK: Presence

    @Test func anOpenGroupTellsHowManyAreThere() async throws {
        let roost = try await Device("alice", on: relay).online()
        let group = try await roost.createGroup("Crew", members: ["bob", "carol"])
        let timeline = try await roost.timeline(with: group)
        await timeline.until { $0.online == OnlineCount(group, online: 1, of: 3) }
        let bob = try await Device("bob", on: relay).online()
        await timeline.until { $0.online?.online == 2 }
        await bob.disconnect()
        await timeline.until { $0.online?.online == 1 }
        relay.setReachable(false)
        relay.cut("alice")
        await timeline.until { $0.online == nil }
    }

    @Test func anUnwatchableUserHidesNoOther() async throws {
        let roost = try await Device("alice", on: relay).online()
        _ = try await Device("eve", on: relay).online()
        let timeline = try await roost.timeline(with: "@bob")
        try await timeline.send("hi")
        await timeline.until { $0.areSent == [true] }
        let bob = try await Device("bob", on: relay).online()
        await bob.until { $0.isUpToDate }
        // Alice shares no conversation with eve, and zoe is unknown.
        try await roost.followPresence(of: ["bob", "eve", "zoe"])
        await roost.untilPresence { $0["bob"]?.state == .online }
        #expect(roost.person("bob").isOnline && !roost.person("eve").isOnline)
    }

    @Test func watchesStayWithinTheirBound() {
        var watched: Set<String> = []
        let first = Watching.plan(watched, for: Set((1...1_000).map { "a\($0)" }), atMost: 1_000)
        #expect(first.new.count == 1_000 && first.gone.isEmpty)
        Watching.apply(first, to: &watched)
        let second = Watching.plan(watched, for: ["a1", "b1", "b2"], atMost: 1_000)
        #expect(second.new == ["b1", "b2"] && second.gone.count == 2 && !second.gone.contains("a1"))
        Watching.apply(second, to: &watched)
        #expect(watched.count == 1_000)
        #expect(Watching.plan(watched, for: ["b1"], atMost: 1_000) == ([], []))
    }

    // MARK: Words

    @Test func everythingThatFailsHasASentence() {
        var sentences = Sentences()
        var session = RoostSnapshot()
        #expect(sentences.banner(for: session) == nil)
        session.pendingCount = 1
        #expect(
            sentences.banner(for: session)
                == "No internet connection. Message will send when you're back online.")
        session.connection = .connected
        #expect(sentences.banner(for: session) == nil)
        session.connection = .failed(.store("disk full"))
        sentences.storeFailed = "Kein Platz."
        #expect(sentences.banner(for: session) == "Kein Platz.")
        let unreachable = SendFailure(OutboxItem.Failure(.busy, "test"))
        #expect(sentences.sentence(for: unreachable) == "Failed to send message. Tap to retry.")
        #expect(sentences.sentence(for: RoostFailure.notConnected).hasPrefix("Something went wrong: "))
    }
}

extension Roost {
    /// Waits until the presences are like that.
    func untilPresence(_ isSo: ([String: UserPresence]) -> Bool) async {
        while !isSo(presences) {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = presences
                } onChange: {
                    continuation.resume()
                }
            }
            await Task.yield()
        }
    }
}
