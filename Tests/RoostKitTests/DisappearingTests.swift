import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// Messages that disappear: every device drops them at their time by itself (Docs/Protocol.md, section 5).
@MainActor
@Suite(.timeLimit(.minutes(3))) struct DisappearingTests {
    private let relay = TestRelay()
    private let clock = ManualClock()
    private nonisolated static let day: Int64 = 86_400_000

    private func device(_ user: String) throws -> Device {
        let device = try Device(user, on: relay)
        // Hours pass at once: no answer comes in time, and a session that ends asks a relay whose clock stands still.
        device.clientLimits.quietTime = .seconds(1_000_000)
        device.clientLimits.replyTimeout = .seconds(1_000_000)
        let clock = clock
        let time = Time(start: clock.now, clock: clock)
        device.adjust = { settings in
            settings.clock = clock
            settings.deviceTime = { time.now }
        }
        return device
    }

    /// A clock on the wall that goes with the waits, and began in 1970: the relay's is far ahead.
    private struct Time: Sendable {
        let start: ManualClock.Instant
        let clock: ManualClock
        var now: Timestamp {
            Timestamp(milliseconds: 1_000 + Int64(start.duration(to: clock.now) / .milliseconds(1)))
        }
    }

    // The last hour of a day, and on: a device that was about to wait when the clock moved waits as long from then on.
    private func passTheEnd(of timelines: ConversationTimeline...) async {
        let passing = Task.detached { [clock] in
            while !Task.isCancelled {
                clock.advance(by: .seconds(600))
                await Task.yield()
            }
        }
        for timeline in timelines { await timeline.until { $0.texts == ["(deleted)"] } }
        passing.cancel()
    }

    // A group of alice and bob in which messages disappear after a day.
    private func group(_ roost: Roost) async throws -> ConversationTimeline {
        let group = try await roost.createGroup("Crew", members: ["bob"])
        try await roost.setExpiry(of: group, after: .seconds(86_400))
        let timeline = try await roost.timeline(with: group)
        await timeline.until { $0.conversation?.expiry == DisappearingTests.day }
        return timeline
    }

    @Test func disappearingMessagesAreErasedOnTime() async throws {
        let (alice, bob) = (try await device("alice").online(), try await device("bob").online())
        let writing = try await group(alice)
        try await writing.send("soon gone")
        await writing.until { $0.areSent == [true] }
        let reading = try await bob.timeline(with: writing.conversation?.id ?? "")
        await reading.until { $0.texts == ["soon gone"] }
        #expect(writing.items.first?.message?.expires == reading.items.first?.message?.expires)
        #expect(reading.items.first?.message?.expires != nil)
        // Each hour the clocks are compared anew.
        for _ in 0..<23 { await clock.pass(.seconds(3_600)) }
        #expect(reading.texts == ["soon gone"] && writing.texts == ["soon gone"])
        await passTheEnd(of: writing, reading)
        await bob.until { $0.badge == 0 }
    }

    @Test func aStartAfterTimeOffShowsNothingThatIsGone() async throws {
        let device = try device("alice")
        var roost: Roost? = try await device.online()
        var timeline: ConversationTimeline? = try await group(try #require(roost))
        let id = try #require(timeline?.conversation?.id)
        try await timeline?.send("soon gone")
        await timeline?.until { $0.areSent == [true] }
        await roost?.disconnect()
        (timeline, roost) = (nil, nil)
        relay.setReachable(false)
        clock.advance(by: .milliseconds(DisappearingTests.day + 60_000))
        let again = try await device.start()
        let shown = try await again.timeline(with: id)
        #expect(shown.texts == ["(deleted)"])
    }

    @Test func aDeviceThatIsOffLineErasesAllTheSame() async throws {
        let roost = try await device("alice").online()
        let timeline = try await group(roost)
        try await timeline.send("soon gone")
        await timeline.until { $0.areSent == [true] }
        await roost.disconnect()
        for _ in 0..<23 { await clock.pass(.seconds(3_600)) }
        await passTheEnd(of: timeline)
    }
}
