import RoostCore
import RoostWire

extension StoreContract {
    /// A message is pinned as long as it is there, a few in each conversation, in the order in which they were pinned.
    @Sendable static func pinning(_ store: inout StoreDriver) throws {
        func pin(_ sequence: Int64, by user: Int32 = 1, in conversation: Int32 = 1) -> Append {
            store.change(conversation, by: user, .pin(SequenceNumber(sequence)))
        }
        func unpin(_ sequence: Int64) -> Append { store.change(1, by: 1, .unpin(SequenceNumber(sequence))) }
        func pinned(in index: Int = 0) throws -> [Int64] {
            try store.load().conversations[index].pins.map(\.sequence.value)
        }

        try store.create(1, members: [1, 2])
        try store.create(2, members: [1, 2])
        _ = try store.commit(["a", "b", "c", "d"].map { store.message(1, by: 1, $0) } + [store.message(2, by: 1, "x")])
        try store.goOn()
        let missing = Outcome.refused(.notFound)
        try expect(
            try store.commit([pin(3, by: 2), pin(1), pin(3), pin(5), pin(0), pin(-1), pin(.max), unpin(2)]),
            [
                .stored(at(8), SequenceNumber(4), .pin(author: UserNumber(1), isWithheld: false)),
                .stored(at(9), SequenceNumber(4), .pin(author: UserNumber(1), isWithheld: false)), .unchanged, missing,
                missing,
                missing, missing, .unchanged,
            ])
        try expect(
            try store.commit([pin(1, in: 2)]),
            [.stored(at(10), SequenceNumber(1), .pin(author: UserNumber(1), isWithheld: false))])
        try store.goOn()
        let first = pin(3, by: 2)
        try expect(
            try store.load().conversations[0].pins,
            [
                StoredPin(SequenceNumber(3), of: UserNumber(1), by: UserNumber(2), at: first.time, at(8)),
                StoredPin(SequenceNumber(1), of: UserNumber(1), by: UserNumber(1), at: first.time, at(9)),
            ])
        // A message that is pinned anew comes last.
        try expect(try store.commit([unpin(3), pin(3), pin(2)]).count, 3)
        try expect(try pinned(), [1, 3, 2])
        try expect(
            try store.commit([store.event(.delete, 1, by: 1, of: 3, ""), pin(3), unpin(3)]).suffix(2),
            [.refused(.gone), .unchanged])
        try store.goOn()
        try expect(try pinned(), [1, 2])

        try pinWhatDisappears(&store)
        let most = Limits().pinsPerConversation
        let last = try store.load().conversations[0].lastSequence.value
        _ = try store.commit((0..<most).map { store.message(1, by: 1, "m\($0)") })
        let outcomes = try store.commit((1...Int64(most)).map { pin(last + $0) })
        try expect(outcomes.filter { $0 == .refused(.tooLarge) }.count, 2)
        try expect(outcomes.suffix(2), [.refused(.tooLarge), .refused(.tooLarge)])
        try store.goOn()
        try expect(try pinned().count, most)
        let head = try store.load().head.value
        try expect(
            try store.commit([pin(1), unpin(1), pin(last + Int64(most)), pin(last + Int64(most) - 1)]),
            [
                .unchanged, .stored(at(head + 1), SequenceNumber(last + Int64(most))),
                .stored(
                    at(head + 2), SequenceNumber(last + Int64(most)), .pin(author: UserNumber(1), isWithheld: false)),
                .refused(.tooLarge),
            ])
        // Each conversation has its own, and takes them with it.
        try expect(try pinned(in: 1), [1])
        _ = try store.commit([store.change(1, by: 1, .erase)])
        try store.goOn()
        try expect(try pinned(), [1])
        try expect(try store.load().conversations.count, 1)
    }

    /// From its time on a message can't be pinned, and what is erased isn't pinned any more.
    private static func pinWhatDisappears(_ store: inout StoreDriver) throws {
        var message = store.message(1, by: 1, "goes")
        message.time = time(1_000)
        let changes = [
            store.change(1, by: 1, .expiry(5_000)), message, message, store.change(1, by: 1, .expiry(0)),
        ]
        _ = try store.commit(changes)
        var early = store.change(1, by: 1, .pin(SequenceNumber(5)))
        early.time = time(5_999)
        var late = store.change(1, by: 1, .pin(SequenceNumber(6)))
        late.time = time(6_000)
        try expect(try store.commit([early, late]).last, .refused(.gone))
        try store.goOn()
        try expect(try store.load().conversations[0].pins.map(\.sequence.value), [1, 2, 5])
        _ = try store.commit([.expire(upTo: time(6_000))])
        try store.goOn()
        try expect(try store.load().conversations[0].pins.map(\.sequence.value), [1, 2])
    }
}
