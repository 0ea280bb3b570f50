import RoostCore
import RoostWire

/// The checks about forwarded messages, for both stores.
enum ForwardingContract {
    /// Nothing of it is left with its body: a retry learns that the message was deleted, and nothing of what it said.
    private static func checkDeleted(_ first: Append, in store: inout StoreDriver) throws {
        guard case .duplicate(_, _, _, _, let repeated)? = try store.commit([first]).first else {
            return try StoreContract.expect("not a duplicate", "")
        }
        try StoreContract.expect(repeated?.content, nil)
        try StoreContract.expect(repeated?.deletedAt == Timestamp.never, false)
    }

    /// A forwarded message has the content of its original at the moment of storing, with the author's name.
    @Sendable static func forwarding(_ store: inout StoreDriver) throws {
        func forward(
            _ sequence: Int64, of source: Int32 = 1, to target: Int32 = 2, key: String = "", withheld: Set<Int32> = []
        ) -> Append {
            var event = store.message(target, by: 2, "", key: key)
            event.body = []
            event.source = ForwardedMessage(
                ConversationNumber(source), SequenceNumber(sequence),
                withheld: Set(withheld.map { UserNumber($0) }))
            return event
        }
        func content(_ kind: String, _ text: String, by origin: String = "u1") -> Supplement {
            .content(MessageContent(kind: kind, body: Array("\"\(text)\"".utf8), origin: origin))
        }

        try store.apply((1...3).map { .user(UserNumber($0), name: "u\($0)") })
        try store.create(1, members: [1, 2])
        try store.create(2, members: [2, 3])
        _ = try store.commit([store.message(1, by: 1, "a", label: "poll"), store.message(1, by: 1, "b")])
        try store.goOn()
        let first = forward(1, key: "k")
        try StoreContract.expect(
            try store.commit([
                first, forward(2), forward(3), forward(0), forward(1, of: 9), forward(1, withheld: [3, 1]),
                forward(1, withheld: [3]), forward(1, of: 2),
            ]),
            [
                .stored(StoreContract.at(5), SequenceNumber(1), content("poll", "a")),
                .stored(StoreContract.at(6), SequenceNumber(2), content("text", "b")), .refused(.notFound),
                .refused(.notFound),
                .refused(.notFound), .refused(.notFound),
                .stored(StoreContract.at(7), SequenceNumber(3), content("poll", "a")),
                // The first author stays its origin.
                .stored(StoreContract.at(8), SequenceNumber(4), content("poll", "a")),
            ])
        try store.goOn()
        // Edits in the same batch count, and so does a deletion.
        var edit = store.event(.edit, 1, by: 1, of: 2, "c")
        edit.flag = true
        let delete = store.event(.delete, 1, by: 1, of: 2, "")
        try StoreContract.expect(
            try store.commit([edit, forward(2), delete, forward(2)]).enumerated().filter { $0.offset % 2 == 1 }
                .map(\.element),
            [.stored(StoreContract.at(10), SequenceNumber(5), content("text", "c")), .refused(.gone)])
        // No user can edit it, not even the one who forwarded it.
        var other = store.event(.edit, 2, by: 2, of: 2, "other")
        other.flag = true
        try StoreContract.expect(try store.commit([other]), [.refused(.forbidden)])
        // A retry, and others under its key.
        let polled = RepeatedMessage(content: MessageContent(kind: "poll", body: Array("\"a\"".utf8), origin: "u1"))
        var moved = first
        moved.conversation = ConversationNumber(1)
        try StoreContract.expect(
            try store.commit([first, store.message(2, by: 2, "a", label: "poll", key: "k"), moved]),
            [
                .duplicate(StoreContract.at(5), SequenceNumber(1), ConversationNumber(2), first.time, polled),
                .refused(.conflict), .refused(.conflict),
            ])
        try store.goOn()
        let rows = try store.history(2)
        try StoreContract.expect(rows.map(\.label), ["poll", "text", "poll", "poll", "text"])
        try StoreContract.expect(
            rows.map { String(decoding: $0.body, as: UTF8.self) }, ["\"a\"", "\"b\"", "\"a\"", "\"a\"", "\"c\""])
        try StoreContract.expect(rows.map { $0.extras?.origin ?? "-" }, Array(repeating: "u1", count: 5))
        _ = try store.commit([store.event(.delete, 2, by: 2, of: 1, "")])
        try store.goOn()
        try StoreContract.expect(try store.history(2).first?.extras, nil)
        try checkDeleted(first, in: &store)
        try open(&store)
    }

    /// A conversation that would be opened for a message that can't be forwarded isn't.
    private static func open(_ store: inout StoreDriver) throws {
        func opening(_ conversation: Int32, _ sequence: Int64) -> [Append] {
            var opening = store.creation(conversation, members: [2, 4])
            opening.purpose = .opening
            opening.key = "o\(sequence)"
            opening.source = ForwardedMessage(ConversationNumber(1), SequenceNumber(sequence))
            var message = store.message(conversation, by: 2, "", key: "o\(sequence)")
            message.body = []
            message.source = opening.source
            return [opening, message]
        }
        try StoreContract.expect(try store.commit(opening(3, 2)), [.unchanged, .refused(.gone)])
        try StoreContract.expect(try store.load().conversations.count, 2)
        let outcomes = try store.commit(opening(3, 1))
        try StoreContract.expect(outcomes.allSatisfy { if case .stored = $0 { true } else { false } }, true)
        try store.goOn()
        try StoreContract.expect(try store.history(3).map { $0.extras?.origin ?? "-" }, ["u1"])
    }
}
