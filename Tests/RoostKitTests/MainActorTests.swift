import Dispatch
import Foundation
import RoostClient
import RoostKit
import RoostLock
import RoostTestClient
import RoostWire
import Testing

@testable import RoostStore

/// The main actor draws the screen, so it must not wait for the disk.
@Suite(.serialized, .timeLimit(.minutes(3))) struct MainActorTests {
    private static let isMain = DispatchSpecificKey<Bool>()
    private static let uses = Locked((here: 0, elsewhere: 0))

    @Test @MainActor func noQueryRunsOnTheMainActor() async throws {
        DispatchQueue.main.setSpecific(key: MainActorTests.isMain, value: true)
        LocalDatabase.onUse.withLock { onUse in
            onUse = LocalDatabase.Hook {
                let isMain = DispatchQueue.getSpecific(key: MainActorTests.isMain) ?? false
                MainActorTests.uses.withLock { if isMain { $0.here += 1 } else { $0.elsewhere += 1 } }
            }
        }
        defer { LocalDatabase.onUse.withLock { $0 = nil } }
        let relay = TestRelay()
        var roost: Roost? = try await Device("alice", on: relay).online()
        var timeline: ConversationTimeline? = try await roost?.timeline(with: "@bob")
        let id = try await timeline?.send("hi")
        await timeline?.until { $0.areSent == [true] }
        if let id { try await timeline?.edit(id, "ho") }
        timeline?.draft = "more"
        try await timeline?.saveDraft()
        try await timeline?.loadOlder()
        try await timeline?.jump(to: SequenceNumber(1))
        _ = try await timeline?.search("h")
        _ = try await timeline?.readers(of: SequenceNumber(1))
        try await roost?.conversations.loadMore()
        try await roost?.signOut()
        (timeline, roost) = (nil, nil)
        let uses = MainActorTests.uses.withLock { $0 }
        #expect(uses.here == 0)
        #expect(uses.elsewhere > 20)
        // The test can see it: this is what must not be.
        let device = try Device("carol", on: relay)
        _ = try LocalStore(path: device.path, device: "phone")
        #expect(MainActorTests.uses.withLock { $0.here } > 0)
    }

    /// A preview has a store in memory, on the main thread: nothing else is watched meanwhile.
    @Test @MainActor func aPreviewNeedsNoRelay() async throws {
        var shown = TimelineSnapshot()
        shown.items = [.gap(from: SequenceNumber(1), to: SequenceNumber(3))]
        let timeline = ConversationTimeline(preview: shown, draft: "half a")
        #expect(timeline.items == shown.items && timeline.draft == "half a")
        timeline.draft = "half a text"
        timeline.appeared(.gap(SequenceNumber(3)))
        #expect(timeline.draft == "half a text")
        var session = RoostSnapshot()
        session.badge = 3
        let last = TimelineMessage(preview: "hi", from: "bob", sequence: SequenceNumber(1), time: .now)
        let roost = Roost(
            preview: session, conversations: [ConversationRow(preview: "Bob", id: "c1", last: last, unread: 3)])
        #expect(roost.badge == 3 && roost.conversations["c1"]?.last?.text == "hi")
        #expect(Set(roost.conversations.rows).count == 1)
    }
}
