import RoostCore
import RoostWire

/// The store contract for messages in threads: which may begin one, what becomes of them, and what history shows.
enum ThreadContract {
    private static func message(_ store: StoreDriver, _ text: String, in thread: Int64, key: String = "") -> Append {
        var event = store.message(1, by: 2, text, key: key)
        event.extras = Extras(thread: SequenceNumber(thread))
        return event
    }

    private static func request(
        _ thread: Int64, after: Int64 = 0, before: Int64 = .max, isNewest: Bool = false, rows: Int = 100
    ) -> HistoryRequest {
        HistoryRequest(
            conversation: ConversationNumber(1), thread: SequenceNumber(thread), reader: UserNumber(1),
            after: SequenceNumber(after), before: SequenceNumber(before), isNewest: isNewest, rows: rows,
            bytes: 1 << 20)
    }

    private static func summary(_ count: Int, _ last: Int64, _ event: Append) -> ThreadSummary {
        ThreadSummary(count: count, last: SequenceNumber(last), time: event.time)
    }

    /// A thread begins with a message that is there and in no thread. Its present messages count, and a message stays
    /// in its thread whatever happens to it.
    @Sendable static func threads(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        let first = message(store, "a", in: 1, key: "k")
        let outcomes = try store.commit([
            store.message(1, by: 1, "root"), first, store.message(1, by: 1, "other"), message(store, "bb", in: 1),
            message(store, "c", in: 2), message(store, "c", in: 9), message(store, "c", in: 6),
        ])
        try StoreContract.expect(
            outcomes,
            [
                .stored(StoreContract.at(2), SequenceNumber(1)), .stored(StoreContract.at(3), SequenceNumber(2)),
                .stored(StoreContract.at(4), SequenceNumber(3)),
                .stored(StoreContract.at(5), SequenceNumber(4)), .refused(.badRequest), .refused(.notFound),
                .refused(.notFound),
            ])
        try store.goOn()
        try StoreContract.expect(try store.commit([message(store, "c", in: 4)]), [.refused(.badRequest)])
        // The key stands for the same thread.
        var other = first
        other.extras = nil
        try StoreContract.expect(
            try store.commit([first, other]),
            [
                .duplicate(StoreContract.at(3), SequenceNumber(2), ConversationNumber(1), first.time),
                .refused(.conflict),
            ])
        var shown = try store.history(1)
        try StoreContract.expect(shown.map(\.extras.thread.value), [0, 1, 0, 1])
        let two = summary(2, 4, message(store, "bb", in: 1))
        try StoreContract.expect(shown.map(\.replies), [two, nil, nil, nil])
        try StoreContract.expect(try store.latest([(1, 1), (1, 2)]).map(\.replies), [two, nil])

        // An edit leaves it in its thread, a deletion takes it out, and the root may go.
        let edit = store.event(.edit, 1, by: 2, of: 2, "a2")
        try StoreContract.expect(
            try store.commit([edit, edit]),
            [.stored(StoreContract.at(6), SequenceNumber(2), .edited(kind: "text", version: 2)), .unchanged])
        _ = try store.commit([store.event(.delete, 1, by: 2, of: 4, ""), store.event(.delete, 1, by: 1, of: 1, "")])
        try store.goOn()
        shown = try store.history(1)
        try StoreContract.expect(shown.map(\.extras.thread.value), [0, 1, 0, 1])
        try StoreContract.expect(shown.map(\.replies), [summary(1, 2, first), nil, nil, nil])
        let last = message(store, "ccc", in: 1)
        try StoreContract.expect(try store.commit([last]), [.stored(StoreContract.at(9), SequenceNumber(5))])
        try StoreContract.expect(try store.history(1).first?.replies, summary(2, 5, last))

        // A disappeared message is in no thread any more.
        _ = try store.commit([store.change(1, by: 1, .expiry(1_000)), message(store, "d", in: 1)])
        try store.goOn()
        try StoreContract.expect(try store.history(1).first?.replies?.count, 3)
        let expires = try store.history(1).last?.extras?.expires ?? .never
        _ = try store.commit([.expire(upTo: expires)])
        try store.goOn()
        try StoreContract.expect(try store.history(1).first?.replies, summary(2, 5, last))
        try StoreContract.expect(try store.history(1).last?.extras, Extras(thread: SequenceNumber(1), expires: expires))
    }

    /// A page of a thread has its messages that stand, and nothing else.
    @Sendable static func pages(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        _ = try store.commit([store.message(1, by: 1, "root"), store.message(1, by: 1, "other root")])
        _ = try store.commit((3...12).map { message(store, "m\($0)", in: $0 % 2 == 0 ? 2 : 1) })
        _ = try store.commit([store.event(.delete, 1, by: 2, of: 7, "")])
        try store.goOn()
        func page(_ request: HistoryRequest) throws -> [Int64] {
            let result = try store.history(request)
            return result.events.map(\.sequence.value) + (result.hasMore ? [0] : [])
        }
        try StoreContract.expect(try page(request(1)), [3, 5, 9, 11])
        try StoreContract.expect(try page(request(2)), [4, 6, 8, 10, 12])
        try StoreContract.expect(try page(request(1, rows: 2)), [3, 5, 0])
        try StoreContract.expect(try page(request(1, after: 5, rows: 2)), [9, 11])
        try StoreContract.expect(try page(request(1, isNewest: true, rows: 2)), [9, 11, 0])
        try StoreContract.expect(try page(request(1, before: 9, isNewest: true, rows: 2)), [3, 5])
        try StoreContract.expect(try page(request(3)), [])
        _ = try store.commit([message(store, "new", in: 1)])
        try StoreContract.expect(try page(request(1, after: 9)), [11, 13])
    }

    /// Counts stop at a bound.
    @Sendable static func bound(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        let most = Limits().repliesCounted
        _ = try store.commit([store.message(1, by: 1, "root")])
        _ = try store.commit((0..<most).map { _ in message(store, "m", in: 1) })
        func count() throws -> Int? {
            let root = HistoryRequest(
                conversation: ConversationNumber(1), reader: UserNumber(1), after: .none, before: SequenceNumber(2),
                isNewest: true, rows: 1, bytes: 1 << 20)
            return try store.history(root).events.first?.replies?.count
        }
        try StoreContract.expect(try count(), most)
        _ = try store.commit([message(store, "m", in: 1)])
        try store.goOn()
        try StoreContract.expect(try count(), most)
        _ = try store.commit([store.event(.delete, 1, by: 2, of: 3, ""), store.event(.delete, 1, by: 2, of: 4, "")])
        try store.goOn()
        try StoreContract.expect(try count(), most - 1)
    }
}
