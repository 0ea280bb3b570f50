import RoostCore
import RoostWire

/// What messages have beside their body.
extension StoreContract {
    private static func message(
        _ store: StoreDriver, _ text: String, mentioning users: [Int32], key: String = ""
    ) -> Append {
        var event = store.message(1, by: 1, text, key: key)
        event.extras = Extras(mentions: users.map { $0 == 0 ? Extras.everybody : "u\($0)" })
        event.mentioned = users.map { UserNumber($0) }
        return event
    }

    /// Mentions are told with the message, and what a member hasn't read of them is kept, up to a bound.
    @Sendable static func mentions(_ store: inout StoreDriver) throws {
        func numbers(_ list: [SequenceNumber]) -> [Int64] { list.map(\.value) }
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
        // The key stands for the same list.
        var other = first
        other.extras = nil
        try expect(
            try store.commit([first, other]),
            [.duplicate(at(2), SequenceNumber(1), ConversationNumber(1), first.time), .refused(.conflict)])

        // An edit replaces the list, even if the body stays; what was told stays unread.
        edit.extras = Extras(mentions: ["u2"])
        edit.mentioned = [UserNumber(2)]
        try expect(
            try store.commit([edit, edit]), [.stored(at(5), SequenceNumber(3), label: "text"), .unchanged])
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
}
