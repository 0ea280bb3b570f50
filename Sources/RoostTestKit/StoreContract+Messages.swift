import RoostCore
import RoostWire

/// The members of messages beside their body.
extension StoreContract {
    private static func message(
        _ store: StoreDriver, _ text: String, mentioning users: [Int32], key: String = ""
    ) -> Append {
        var event = store.message(1, by: 1, text, key: key)
        event.extras = Extras(mentions: users.map { $0 == 0 ? Extras.everybody : "u\($0)" })
        event.mentioned = users.map { UserNumber($0) }
        return event
    }

    /// Mentions come with the message, and a member's unread ones are kept, up to a bound.
    @Sendable static func mentions(_ store: inout StoreDriver) throws {
        func numbers(_ list: [Mention]) -> [Int64] { list.map(\.sequence.value) }
        try store.create(1, members: [1, 2, 3])
        let first = message(store, "a", mentioning: [2, 3], key: "k")
        try expect(
            try store.commit([first, message(store, "b", mentioning: [0]), message(store, "c", mentioning: [3])]).count,
            3)
        try store.goOn()
        var edit = store.event(.edit, 1, by: 1, of: 3, "c")
        try expect(try store.history(1).map { $0.extras?.mentions ?? [] }, [["u2", "u3"], ["@all"], ["u3"]])
        var snapshot = try store.load()
        try expect(numbers(snapshot.conversations[0].mentionsOfAll), [2])
        try expect(snapshot.members.map { numbers($0.mentions) }, [[], [1], [1, 3]])
        try expect(
            (snapshot.conversations[0].mentionsOfAll + snapshot.members[2].mentions).map(\.author.value), [1, 1, 1])
        // The key stands for the same list.
        var other = first
        other.extras = nil
        try expect(
            try store.commit([first, other]),
            [.duplicate(at(2), SequenceNumber(1), ConversationNumber(1), first.time), .refused(.conflict)])

        // An edit replaces the list, even if the body stays; an unread mention that was sent stays unread.
        edit.extras = Extras(mentions: ["u2"])
        edit.mentioned = [UserNumber(2)]
        try expect(
            try store.commit([edit, edit]),
            [.stored(at(5), SequenceNumber(3), .edited(kind: "text", version: 2)), .unchanged])
        let rows = try store.page(1, after: 1).events
        try expect(rows.map { $0.extras?.mentions ?? [] }, [["u2", "u3"], ["@all"], ["u2"], ["u2"]])
        _ = try store.commit([store.event(.delete, 1, by: 1, of: 1, "")])
        try store.goOn()
        try expect(try store.history(1).map { $0.extras?.mentions ?? [] }, [[], ["@all"], ["u2"]])
        var mark = Watermark()
        mark.read = SequenceNumber(1)
        try store.apply([.watermark(ConversationNumber(1), UserNumber(3), mark)])
        _ = try store.commit([store.change(1, by: 1, .remove([UserNumber(2)]))])
        snapshot = try store.load()
        try expect(snapshot.members.map { numbers($0.mentions) }, [[], [], [3]])

        let most = Limits().mentionsKept
        _ = try store.commit((0..<most).map { message(store, "m\($0)", mentioning: [0, 3]) })
        try store.goOn()
        snapshot = try store.load()
        let newest = Array(4...Int64(most + 3))
        try expect(numbers(snapshot.conversations[0].mentionsOfAll), newest)
        try expect(numbers(snapshot.members.first { $0.user == UserNumber(3) }?.mentions ?? []), newest)
    }

    /// Messages disappear at their time, the oldest first, whatever their conversation says by then. Before it they are
    /// shown, and after it only a tombstone, whether the store has erased them or not.
    @Sendable static func disappearing(_ store: inout StoreDriver) throws {
        func at(_ milliseconds: Int64, _ text: String, mentioning names: [String] = []) -> Append {
            var event = store.message(1, by: 1, text)
            event.time = time(milliseconds)
            event.extras = Extras(mentions: names)
            return event
        }
        func gone(_ sequence: Int64, _ expires: Int64) -> ExpiredMessage {
            ExpiredMessage(ConversationNumber(1), SequenceNumber(sequence), time(expires))
        }
        func expire(_ milliseconds: Int64) throws -> [Outcome] { try store.commit([.expire(upTo: time(milliseconds))]) }

        try store.create(1, members: [1, 2])
        _ = try store.commit([
            at(1_000, "stays"), store.change(1, by: 1, .expiry(5_000)), at(2_000, "a", mentioning: ["u2"]),
            at(2_500, "b"), store.change(1, by: 1, .expiry(1_000)), at(3_000, "c"),
            store.change(1, by: 1, .expiry(0)), at(4_000, "stays, too"),
        ])
        try store.goOn()
        var snapshot = try store.load()
        try expect(snapshot.nextExpiry, time(4_000))
        try expect(snapshot.conversations[0].expiry, 0)
        try expect(try store.history(1).map { $0.extras?.expires.milliseconds ?? 0 }, [0, 7_000, 7_500, 4_000, 0])
        // Nothing shows it after its time.
        try expect(try store.history(1, asked: time(3_999)).map(\.body.isEmpty), Array(repeating: false, count: 5))
        try expect(
            try store.history(1, asked: time(4_000)).map { $0.deletedAt.milliseconds }, [0, 0, 0, 4_000, 0])
        let edits = [
            store.event(.edit, 1, by: 1, of: 2, "a2"), store.event(.delete, 1, by: 1, of: 3, ""),
        ]
        _ = try store.commit(edits)

        try expect(try expire(3_999), [.expired([], next: time(4_000))])
        try expect(try expire(6_999), [.expired([gone(4, 4_000)], next: time(7_000))])
        try store.goOn()
        try expect(try expire(9_000), [.expired([gone(2, 7_000), gone(3, 7_500)], next: .never)])
        try expect(try expire(9_000), [.expired([], next: .never)])
        try store.goOn()
        let shown = try store.history(1)
        try expect(shown.map(\.body.isEmpty), [false, true, true, true, false])
        try expect(
            shown.map(\.deletedAt), [.never, time(7_000), edits[1].time, time(4_000), .never])
        try expect(shown[1].extras, Extras(expires: time(7_000)))
        try expect(try store.page(1, after: 0).events.filter { $0.kind == .edit }.count, 0)
        snapshot = try store.load()
        try expect(snapshot.conversations[0].gone.text, "2-4")
        try expect(snapshot.nextExpiry, .never)

        // Many of them take several steps.
        _ = try store.commit([store.change(1, by: 1, .expiry(1_000))])
        let most = Limits().expiredAtOnce
        _ = try store.commit((0...most).map { at(20_000 + Int64($0), "m") })
        guard case .expired(let first, let next) = try expire(99_000)[0] else {
            throw Violation(description: "an answer of another kind")
        }
        try expect(first.count, most)
        try expect(next, time(21_000 + Int64(most)))
        try expect(try expire(99_000).count, 1)
        try expect(try store.load().nextExpiry, .never)
    }
}
