import RoostWire
import Testing

@testable import RoostStore

/// An answer that was made before an event came isn't the newest word about its message.
@Suite struct DoubtTests {
    private let file = OutboxFile()

    private func store() throws -> LocalStore {
        let store = try LocalStore(path: file.path, device: "phone")
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        _ = try store.take([Told.message(1), Told.message(2)], position: "e-2")
        return store
    }

    private func react(by user: String) throws -> Event {
        try Told.event(
            """
            {"type":"react","conversation":"c1","sequence":2,"position":"e-3","from":"\(user)","time":9,"reaction":"+"}
            """)
    }

    private func take(_ page: HistoryPage, _ store: LocalStore, asked: Int, byRange: Bool) throws -> LocalMessage {
        if byRange {
            try store.take(page, from: SequenceNumber(1), to: SequenceNumber(2), asked: asked)
        } else {
            try store.take(page, before: SequenceNumber(3), asked: asked)
        }
        return try #require(try store.messages(of: "c1", from: SequenceNumber(2), limit: 1).first)
    }

    @Test(arguments: [false, true]) func aReactionMeanwhileIsAskedForAgain(_ byRange: Bool) throws {
        let store = try store()
        let asked = store.doubts
        _ = try store.take([react(by: "bob")], position: "e-3")
        var message = try take(Told.page(1...2, hasMore: false), store, asked: asked, byRange: byRange)
        #expect(message.isStale && message.reactions.map(\.count) == [1])
        // A later answer counts.
        message = try take(Told.page(1...2, hasMore: false), store, asked: store.doubts, byRange: byRange)
        #expect(!message.isStale && message.reactions.isEmpty)
    }

    /// The own one shows at once, and an older answer doesn't take it away.
    @Test func anOwnReactionMeanwhileStays() throws {
        let store = try store()
        let item = try store.outbox.add(
            .react(.stored(SequenceNumber(2)), reaction: "+", isOn: true), to: "c1", key: "k")
        let asked = store.doubts
        try store.accepted(item.id, at: Timestamp(milliseconds: 9))
        let message = try take(Told.page(1...2, hasMore: false), store, asked: asked, byRange: true)
        #expect(message.isStale && message.reactions.map(\.isMine) == [true])
    }

    /// So many events come while a request is under way that it isn't known which of them the answer includes.
    @Test func afterTooManyEverythingIsInDoubt() throws {
        let doubts = Doubts()
        for _ in 0..<Doubts.most { doubts.note("c1", SequenceNumber(1)) }
        #expect(!doubts.has("c1", SequenceNumber(2), since: 0) && doubts.has("c1", SequenceNumber(1), since: 0))
        for _ in 0..<Doubts.most { doubts.note("c1", SequenceNumber(1)) }
        #expect(doubts.has("c1", SequenceNumber(2), since: 0))
        #expect(!doubts.has("c1", SequenceNumber(1), since: doubts.count))
    }
}
