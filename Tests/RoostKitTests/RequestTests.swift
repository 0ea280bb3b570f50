import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// First messages of strangers wait apart, on every device, until their receiver accepts or drops them.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct RequestTests {
    private let relay = TestRelay(takesRequests: true)
    private let alice: Roost
    private let bob: Roost
    private let tablet: Roost
    private let id: String

    init() async throws {
        (alice, bob) = (try await Device("alice", on: relay).online(), try await Device("bob", on: relay).online())
        tablet = try await Device("bob", on: relay, name: "tablet").online()
        let writing = try await alice.timeline(with: "@bob")
        try await writing.send("hello")
        await writing.until { $0.areSent == [true] }
        id = try #require(writing.conversation?.id)
        for roost in [bob, tablet] { await roost.requests.until { $0.first?.unread == 1 } }
    }

    @Test func aRequestIsListedApartAndIsNoPartOfTheBadge() {
        #expect(bob.requests.rows.map(\.id) == [id] && bob.requests.rows.first?.unread == 1)
        #expect(bob.conversations.rows.isEmpty && bob.badge == 0)
        #expect(alice.conversations.rows.map(\.id) == [id] && alice.requests.rows.isEmpty)
    }

    @Test func theGateIsAFailureOfItsOwn() async throws {
        let writing = try await alice.timeline(with: "@bob")
        try await writing.send("one more")
        let failed = await writing.until { $0.failure?.reason == .noRelationship }
        let failure = try #require(failed.failure)
        #expect(failure.canRetry && alice.sentences.sentence(for: failure) == alice.sentences.noRelationship)
    }

    @Test(arguments: [true, false]) func acceptingMovesItOnAllDevices(byWriting: Bool) async throws {
        if byWriting {
            try await bob.timeline(with: id).send("well")
        } else {
            try await bob.acceptRequest(id)
        }
        for roost in [bob, tablet] {
            await roost.conversations.until { $0.map(\.id) == [id] }
            await roost.requests.until { $0.isEmpty }
        }
        let writing = try await alice.timeline(with: id)
        try await writing.send("again")
        await writing.until { $0.areSent.last == true }
    }

    @Test func droppingTakesItFromAllDevices() async throws {
        try await bob.dropRequest(id)
        for roost in [bob, tablet] { await roost.requests.until { $0.isEmpty } }
        #expect(bob.conversations.rows.isEmpty && tablet.conversations.rows.isEmpty)
        #expect(alice.conversations.rows.map(\.id) == [id])
    }

    @Test func aNewDeviceIsToldOfThoseThatWait() async throws {
        let watch = try await Device("bob", on: relay, name: "watch").online()
        await watch.requests.until { $0.map(\.id) == [id] }
        #expect(watch.conversations.rows.isEmpty)
    }

    /// The event names only the request that was dropped last.
    @Test func aDeviceThatWasAwayAsksForAllThatWait() async throws {
        let carol = try await Device("carol", on: relay).online()
        let writing = try await carol.timeline(with: "@bob")
        try await writing.send("hi")
        for roost in [bob, tablet] { await roost.requests.until { $0.count == 2 } }
        await tablet.disconnect()
        for row in bob.requests.rows { try await bob.dropRequest(row.id) }
        await tablet.connect()
        await tablet.requests.until { $0.isEmpty }
    }
}
