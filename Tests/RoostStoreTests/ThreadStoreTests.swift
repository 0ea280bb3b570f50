import RoostWire
import Testing

@testable import RoostStore

/// Threads, pinned and forwarded messages on a device (Docs/Protocol.md, section 5).
@Suite struct ThreadStoreTests {
    private let file = OutboxFile()

    private func begun() throws -> LocalStore {
        let store = try LocalStore(path: file.path, device: "phone")
        try store.begin(Told.welcome(), isResumed: false)
        try store.take(Told.summary(#""sequence":0,"unread":0,"read":0,"time":1"#))
        return store
    }

    private func message(_ sequence: Int64, thread: Int64? = nil, _ rest: String = "") throws -> Event {
        let thread = thread.map { #","thread":\#($0)"# } ?? ""
        return try Told.event(
            """
            {"type":"message","conversation":"c1","sequence":\(sequence),"position":"e-\(sequence)","from":"bob",
             "time":\(1_000 + sequence),"body":"x"\(thread)\(rest)}
            """)
    }

    private func take(_ store: LocalStore, _ events: Event...) throws { _ = try store.take(events, position: nil) }

    private func delete(_ sequence: Int64) throws -> Event {
        try Told.event(
            """
            {"type":"delete","conversation":"c1","sequence":\(sequence),"position":"e-99","from":"bob","time":5000}
            """)
    }

    private func root(_ store: LocalStore, _ sequence: Int64 = 1) throws -> LocalMessage {
        try #require(try store.threads.message(SequenceNumber(sequence), in: "c1"))
    }

    private func rows(_ store: LocalStore) throws -> [Int64] {
        try store.threads.messages(of: SequenceNumber(1), in: "c1", limit: 9).map(\.sequence.value)
    }

    // MARK: Threads

    @Test func eachMessageOfAThreadIsCountedOnce() throws {
        let store = try begun()
        try take(store, message(1), message(2, thread: 1), message(3), message(4, thread: 1), message(4, thread: 1))
        #expect(try root(store).replies?.count == 2 && root(store).replies?.last == SequenceNumber(4))
        #expect(try root(store).replies?.time == Timestamp(milliseconds: 1_004) && !root(store).isStale)
        #expect(try rows(store) == [2, 4])
        #expect(try store.threads.root(of: SequenceNumber(4), in: "c1") == SequenceNumber(1))
        #expect(try store.threads.root(of: SequenceNumber(3), in: "c1") == SequenceNumber(3))
    }

    /// An answer may be taken before the event of a deletion that came earlier on the wire.
    @Test func aPageThatIsAheadOfADeletionCountsIt() throws {
        let store = try begun()
        try take(store, message(1), message(2, thread: 1), message(3))
        #expect(try store.unread() == 3 && root(store).replies?.count == 1)
        let page = try #require(
            HistoryPage(
                reading: Told.members(
                    """
                    {"type":"ok","re":1,"conversation":"c1","more":false,"messages":[{"conversation":"c1","sequence":2,
                     "position":"e-2","from":"bob","time":1002,"thread":1,"deletedAt":5000}]}
                    """)))
        for _ in 1...2 {
            try store.take(page, before: nil)
            #expect(try store.unread() == 2 && (root(store).replies?.count ?? 0) == 0)
            try take(store, delete(2))
        }
        #expect(try store.unread() == 2 && (root(store).replies?.count ?? 0) == 0)
    }

    /// The relay may store events after it has read a page, and the device take them before it.
    @Test func aPageThatIsBehindEventsTakesNothingBack() throws {
        let store = try begun()
        try take(store, message(1), message(2, thread: 1), message(3, thread: 1), message(4), message(5))
        try take(
            store, delete(4),
            Told.event(
                """
                {"type":"edit","conversation":"c1","sequence":5,"position":"e-98","from":"bob","time":5000,"body":"new",
                 "version":2}
                """))
        let page = try #require(
            HistoryPage(
                reading: Told.members(
                    """
                    {"type":"ok","re":1,"conversation":"c1","more":false,"messages":[
                     {"conversation":"c1","sequence":1,"position":"e-1","from":"bob","time":1001,"body":"x",
                      "replies":{"count":1,"last":2,"time":1002}},
                     {"conversation":"c1","sequence":2,"position":"e-2","from":"bob","time":1002,"thread":1,"body":"x"},
                     {"conversation":"c1","sequence":4,"position":"e-4","from":"bob","time":1004,"body":"x"},
                     {"conversation":"c1","sequence":5,"position":"e-5","from":"bob","time":1005,"body":"x"}]}
                    """)))
        try store.take(page, before: nil)
        #expect(try root(store).replies?.count == 2 && root(store).replies?.last == SequenceNumber(3))
        #expect(try root(store, 4).deletedAt == Timestamp(milliseconds: 5_000) && root(store, 4).body == nil)
        #expect(try root(store, 5).body?.text == "new" && root(store, 5).version == 2 && root(store, 5).isStale)
    }

    @Test func messagesCountedByHistoryAreNotCountedAgain() throws {
        let store = try begun()
        try take(store, message(1))
        let page = try #require(
            HistoryPage(
                reading: Told.members(
                    """
                    {"type":"ok","re":1,"conversation":"c1","more":false,"messages":[
                     {"conversation":"c1","sequence":1,"position":"e-1","from":"bob","time":1001,"body":"x",
                      "replies":{"count":7,"last":9,"time":1009}}]}
                    """)))
        try store.take(page, before: nil)
        try take(store, message(9, thread: 1))
        #expect(try root(store).replies?.count == 7 && root(store).isStale, "only history knows")
        try take(store, message(10, thread: 1))
        #expect(try root(store).replies?.count == 8)
    }

    @Test func deletedMessagesAreCountedNoLonger() throws {
        let store = try begun()
        try take(store, message(1), message(2, thread: 1), message(3, thread: 1), delete(3), delete(3))
        #expect(try root(store).replies?.count == 1 && root(store).isStale && rows(store) == [2])
        try take(store, delete(2))
        #expect(try root(store).replies == nil)
    }

    @Test func leftOutMessagesAreAskedFor() throws {
        let store = try begun()
        try take(store, message(1), Told.event(#"{"type":"gap","conversation":"c1","from":2,"to":20}"#), message(21))
        #expect(try root(store).isStale && !root(store, 21).isStale)
    }

    // MARK: Pins

    private func pin(_ sequence: Int64, _ word: String = "pinned") throws -> Event {
        try Told.change(word, #""pin":\#(sequence)"#, sequence: 9)
    }

    private func pins(_ store: LocalStore) throws -> [Int64] {
        try store.pins.pins(of: "c1").map(\.sequence.value)
    }

    @Test func pinsFollowEvents() throws {
        let store = try begun()
        try take(store, message(1), message(2), message(3), pin(1), pin(3), pin(2))
        #expect(try pins(store) == [2, 3, 1])
        let first = try store.pins.pins(of: "c1").first
        #expect(first?.by == "bob" && first?.message?.body?.text == "x")
        try take(store, pin(3, "unpinned"), pin(3, "unpinned"))
        #expect(try pins(store) == [2, 1])
        try take(store, delete(2))
        #expect(try pins(store) == [1], "what was deleted is pinned no longer")
        #expect(try LocalStore(path: file.path, device: "phone").pins.pins(of: "c1").count == 1)
    }

    @Test func theListOfTheConversationCounts() throws {
        let store = try begun()
        try take(store, message(1), message(2), pin(1))
        try store.take(Told.summary(#""sequence":9,"unread":0,"read":9,"time":1,"pins":[5,1]"#))
        let pins = try store.pins.pins(of: "c1")
        #expect(pins.map(\.sequence.value) == [5, 1] && pins.map(\.by) == [nil, "bob"])
        #expect(pins.first?.message == nil)
        let page = try #require(
            PinPage(
                reading: Told.members(
                    """
                    {"type":"ok","re":1,"conversation":"c1","pins":[{"sequence":5,"by":"carol","time":7,"message":
                     {"conversation":"c1","sequence":5,"position":"e-5","from":"bob","time":1005,"body":"five"}}]}
                    """)))
        try store.pins.take(page.pins, of: "c1")
        let told = try store.pins.pins(of: "c1")
        #expect(told.map(\.by) == ["carol"] && told.first?.message?.body?.text == "five")
        try store.forget("c1")
        #expect(try store.pins.pins(of: "c1").isEmpty)
    }

    @Test func hiddenMessagesAreNotPinned() throws {
        let store = try begun()
        try take(
            store,
            Told.change(
                "added", #""users":["alice"],"kind":"direct","count":2,"members":["alice","bob"]"#, sequence: 4),
            pin(4), pin(5))
        #expect(try pins(store) == [5])
    }

    // MARK: Waiting items

    private func send(
        _ store: LocalStore, _ key: String, thread: SequenceNumber? = nil, forward: OutboxItem.Forward? = nil
    ) throws -> OutboxItem {
        try store.outbox.add(
            .send(kind: nil, body: MessageBody(text: key).json, replyTo: nil), to: "c1", key: key, thread: thread,
            forward: forward)
    }

    private let source = OutboxItem.Forward(conversation: "c2", sequence: SequenceNumber(7), origin: "carol")

    @Test func threadsAndForwardsOfWaitingItemsAreOnDisk() throws {
        let store = try begun()
        try take(store, message(1))
        let items = [
            try send(store, "k1", thread: SequenceNumber(1)), try send(store, "k2", forward: source),
        ]
        #expect(try LocalStore(path: file.path, device: "phone").outbox.items == items)
        for (sequence, item) in zip(Int64(2)..., items) {
            let stored = StoredMessage(
                conversation: "c1", sequence: SequenceNumber(sequence), position: "e-\(sequence)",
                time: Timestamp(milliseconds: sequence), isDuplicate: false)
            try store.accepted(item.id, at: stored.time, as: stored)
        }
        #expect(try root(store).replies?.count == 1 && rows(store) == [2])
        let forwarded = try root(store, 3)
        #expect(forwarded.origin == "carol" && forwarded.body?.text == "k2" && forwarded.isStale)
    }

    @Test func forwardedMessagesOfOthersCannotBeChanged() throws {
        let store = try begun()
        let item = try send(store, "k1", forward: source)
        #expect(throws: OutboxFailure.noSuchItem) {
            try store.outbox.replace(item.id, body: MessageBody(text: "y").json)
        }
    }

    @Test func aSourceOrAThreadThatIsGoneHoldsUpNobodyElse() throws {
        let store = try begun()
        let item = try send(store, "k1", forward: source)
        let next = try send(store, "k2", thread: SequenceNumber(1))
        #expect(FailureScope(.gone, of: item) == .item && FailureScope(.notFound, of: next) == .item)
        #expect(FailureScope(.forbidden, of: item) == .conversation && FailureScope(.busy, of: item) == .passing)
        // A mentioned user may have left, and not every member may mention all.
        var mentioning = item
        (mentioning.thread, mentioning.forward, mentioning.mentions) = (nil, nil, ["bob"])
        #expect(FailureScope(.notFound, of: mentioning) == .item)
        #expect(FailureScope(.forbidden, of: mentioning) == .conversation)
        mentioning.mentions = ["@all"]
        #expect(FailureScope(.forbidden, of: mentioning) == .item)
        mentioning.mentions = []
        #expect(FailureScope(.notFound, of: mentioning) == .conversation)
    }

    @Test func inAnotherLogTheNumbersMeanOtherMessages() throws {
        let store = try begun()
        _ = try send(store, "k1", forward: source)
        _ = try send(store, "k2", thread: SequenceNumber(1))
        try store.begin(Told.welcome(epoch: "f"), isResumed: false)
        #expect(store.outbox.items.map(\.key) == ["k2"])
        #expect(store.outbox.items.first?.thread == nil && store.outbox.items.first?.failure?.code == .gone)
    }
}
