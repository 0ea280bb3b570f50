import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// The bound on presence sent in a second, without leaving anything out.
@Suite struct PresencePaceTests {
    @Test func aBurstDelaysNothingAndWhatFollowsIsPacedByTheRate() {
        var pace = PresencePace(perSecond: 1_000, burst: 10, at: 0)
        for _ in 0..<10 { pace.note(users: 1, at: 100) }
        #expect(pace.readyAt <= 100)
        for _ in 0..<50 { pace.note(users: 1, at: 100) }
        #expect(pace.readyAt == 150)
        pace.note(users: 1, at: 150)
        #expect(pace.readyAt == 151)
        pace.note(users: 1, at: 10_000)
        #expect(pace.readyAt <= 10_000)
    }

    @Test func longFramesCountForSeveral() {
        var pace = PresencePace(perSecond: 1_000, burst: 0, at: 0)
        pace.note(users: 1_000, at: 0)
        #expect(pace.readyAt == 32)
    }

    @Test func manyChangesAreToldLaterAndTogetherAndTimelyAgainAfterwards() {
        let relay = RelayHarness(
            limits: .with {
                $0.presencePerSecond = 20
                $0.presenceAtOnce = 4
                $0.awayMilliseconds = 0
            })
        let alice = relay.connect("alice")
        let watchers = (0..<10).map { relay.connect("w\($0)") }
        let group = alice.makeGroup(watchers.indices.map { "w\($0)" })
        #expect(!group.isEmpty)
        for watcher in watchers { _ = watcher.request("watch", ["users": ["alice"]]) }
        relay.advance(5_000)
        for client in [alice] + watchers { _ = client.take() }
        var isIdle = false
        for _ in 0..<60 {
            isIdle.toggle()
            _ = alice.request("presence", ["state": isIdle ? "idle" : "active"])
            relay.advance(60)
            for client in [alice] + watchers { client.pong() }
        }
        _ = alice.request("presence", ["state": "idle"])
        relay.advance(2_000)
        // 5.6 s at 20 frames a second, and what may come at once; 60 changes for 10 watchers would be 600.
        let told = watchers.map { $0.frames("presence") }
        let frames = told.reduce(0) { $0 + $1.count }
        #expect(frames <= 130)
        for of in told {
            #expect(of.contains { ($0.number("late") ?? 0) > 0 })
            #expect(of.last?["users"]?.elements?.first?.text("state") == "away")
        }
        #expect(relay.relay.counters.presence.lateRounds > 0)
        for watcher in watchers { _ = watcher.take() }
        _ = alice.request("presence", ["state": "active"])
        relay.advance(60)
        let after = watchers.flatMap { $0.frames("presence") }
        #expect(after.count == 10)
        #expect(after.allSatisfy { $0["late"] == nil })
    }
}
