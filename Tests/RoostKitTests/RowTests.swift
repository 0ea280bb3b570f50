import Foundation
import Observation
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// Changes for tables, and the uses of a row's identity.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct RowTests {
    private let relay = TestRelay()
    private let kept = Kept()

    // A chat ends when no reference holds it.
    @MainActor private final class Kept { var roosts: [Roost] = [] }

    private func pair() async throws -> (writing: ConversationTimeline, reading: ConversationTimeline, [Roost]) {
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        let (one, other) = (try await alice.online(), try await bob.online())
        kept.roosts = [one, other]
        return (try await one.timeline(with: "@bob"), try await other.timeline(with: "@alice"), [one, other])
    }

    /// Changes of single rows give the same as the whole list, whatever a slow reader has missed.
    @Test func changesGiveTheSameRows() async throws {
        let (writing, reading, _) = try await pair()
        var ids: [TimelineItem.ID] = []
        var told = 0
        var updates = reading.updates().makeAsyncIterator()
        var sent: [TimelineItem.ID] = []
        for number in 1...5 { sent.append(try await writing.send("\(number)")) }
        for id in sent { try await writing.stored(id) }
        try await writing.edit(sent[0], "one")
        try await writing.delete(sent[4])
        while let update = await updates.next() {
            told += 1
            let rows = try #require(ids.applying(update.changes.order))
            #expect(rows == update.snapshot.items.map(\.id))
            #expect(Set(update.changes.updated).isSubset(of: ids))
            ids = rows
            if update.snapshot.texts == ["one", "2", "3", "4", "(deleted)"] { break }
        }
        #expect(told > 1 && ids.count == 5)
    }

    @Test func aChangeIsTheRowAndNothingElse() async throws {
        let (writing, _, roosts) = try await pair()
        for number in 1...3 { try await writing.send("\(number)") }
        await roosts[0].until { $0.pendingCount == 0 }
        let before = await writing.until { $0.areSent == [true, true, true] }
        let id = before.items[1].id
        try await writing.edit(id, "two")
        let after = await writing.until { $0.texts == ["1", "two", "3"] }
        let changes = after.changes(since: before)
        #expect(changes.updated.contains(id) && changes.inserted.isEmpty && changes.removed.isEmpty)
        #expect(before.changes(since: before).isEmpty)
        let fewer = before.changes(since: TimelineSnapshot())
        #expect(fewer.inserted == before.items.map(\.id) && fewer.updated.isEmpty)
    }

    /// A row is found by its identity, and an own message also by its number.
    @Test func rowsAreFound() async throws {
        let (writing, reading, _) = try await pair()
        let id = try await writing.send("here")
        let stored = try await writing.stored(id)
        let sequence = try #require(stored.sequence)
        let shown = await writing.until { $0[sequence] != nil }
        #expect(shown[id]?.message?.text == "here" && shown[sequence]?.id == id && writing[id] == shown[id])
        #expect(writing[.sequence(SequenceNumber(99))] == nil)
        let row = await reading.until { !$0.items.isEmpty }
        #expect(row[sequence]?.text == "here" && row[sequence]?.isOwn == false)
    }

    /// A caller that waits for the relay gets the outcome.
    @Test func aMessageIsStoredOrRefused() async throws {
        let device = try Device("alice", on: relay)
        let roost = try await device.start()
        let timeline = try await roost.timeline(with: "@bob")
        let id = try await timeline.send("hi")
        async let row = timeline.stored(id)
        await roost.connect()
        #expect(try await row.text == "hi")
        relay.refuseNext("send", .tooLarge)
        let long = try await timeline.send("too long")
        await #expect(throws: SendFailure.self) { try await timeline.stored(long) }
        try await timeline.replace(long, "short")
        #expect(try await timeline.stored(long).text == "short")
        relay.refuseNext("edit", .forbidden)
        try await timeline.edit(long, "changed")
        await timeline.until { $0[long]?.message?.failedChange != nil }
        try await timeline.retry(long)
        await timeline.until { $0[long]?.message?.text == "changed" && $0[long]?.message?.isChanging == false }
        let gone = try await timeline.send("no")
        try await timeline.discard(gone)
        await #expect(throws: (any Error).self) { try await timeline.discard(.key("nobody")) }
    }

    @Test(arguments: ["k:0a", "s:12", "g:7"]) func anIdentityIsText(_ text: String) throws {
        let id = try #require(TimelineItem.ID(text))
        #expect(id.description == text)
        let place = TimelinePlace("@bob", at: id)
        let kept = try JSONEncoder().encode(place)
        #expect(try JSONDecoder().decode(TimelinePlace.self, from: kept) == place)
    }

    @Test(arguments: ["", "s:", "s:x", "x:1", "g:99999999999999999999"]) func textsThatAreNoIdentity(_ text: String) {
        #expect(TimelineItem.ID(text) == nil)
    }

    /// A conversation is opened again where it was left.
    @Test func aPlaceIsComeBackTo() async throws {
        let (writing, _, roosts) = try await pair()
        for number in 1...120 { try await writing.send("\(number)") }
        await roosts[0].until { $0.pendingCount == 0 }
        let row = try #require(writing.snapshot[SequenceNumber(10)]?.id ?? .sequence(SequenceNumber(10)))
        let again = try await roosts[0].timeline(at: TimelinePlace("@bob", at: row))
        #expect(again.texts.contains("10") && again.snapshot.hasNewer)
        let newest = try await roosts[0].timeline(at: TimelinePlace("@bob", at: .key("gone")))
        #expect(newest.texts.last == "120")
    }

    /// A list calls one method for the rows that it shows.
    @Test func rowsThatAppearAreSeenAndLoadMore() async throws {
        let (writing, _, roosts) = try await pair()
        for number in 1...120 { try await writing.send("\(number)") }
        await roosts[0].until { $0.pendingCount == 0 }
        let device = try Device("bob", on: relay, name: "tablet")
        let roost = try await device.online()
        let timeline = try await roost.timeline(with: "@alice")
        let shown = await timeline.until { $0.texts.last == "120" && $0.hasOlder }
        for item in shown.items.reversed() { timeline.appeared(item.id) }
        await timeline.until { $0.items.count > shown.items.count }
        await roost.until { $0.badge == 0 }
        await timeline.loads { !$0.isLoadingOlder && $0.lastError == nil }
    }

    /// An action without a waiting caller reports why it failed.
    @Test func aFailureIsSaid() async throws {
        let (writing, _, roosts) = try await pair()
        for number in 1...60 { try await writing.send("\(number)") }
        await roosts[0].until { $0.pendingCount == 0 }
        let roost = try await Device("bob", on: relay, name: "tablet").online()
        let timeline = try await roost.timeline(with: "@alice")
        await timeline.until { $0.hasOlder }
        await roost.disconnect()
        await #expect(throws: (any Error).self) {
            while timeline.snapshot.hasOlder { try await timeline.loadOlder() }
        }
        #expect(timeline.loading.lastError != nil && !timeline.loading.isLoadingOlder)
    }
}

/// Waits until something that an observable object shows is about to change.
@MainActor
func change(_ read: () -> Void) async {
    await withCheckedContinuation { continuation in
        withObservationTracking(read) { continuation.resume() }
    }
    // A change is announced before it is made.
    await Task.yield()
}

extension ConversationTimeline {
    /// Waits until that is how it loads.
    fileprivate func loads(_ isSo: (TimelineLoading) -> Bool) async {
        while !isSo(loading) { await change { _ = loading } }
    }
}
