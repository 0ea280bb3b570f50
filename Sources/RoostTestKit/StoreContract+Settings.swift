import RoostCore
import RoostWire

// MARK: Settings

extension StoreContract {
    /// The newest value of each key is kept, and read by devices that were away.
    @Sendable static func settings(_ store: inout StoreDriver) throws {
        try store.apply([.user(UserNumber(1), name: "alice"), .user(UserNumber(2), name: "bob")])
        try store.create(1, members: [1, 2])
        let first = store.setting(1, "b", "1")
        try expect(
            try store.commit([
                first, first, store.setting(1, "b", "2", ifVersion: 9), store.setting(1, "b", "2", ifVersion: 2),
                store.setting(1, "a", "[]", ifVersion: 2), store.setting(1, "a", "[]", ifVersion: 0),
                store.setting(2, "b", "\"bob\""), store.message(1, by: 1, "m"), store.setting(1, "c", nil),
                store.setting(1, "c", nil, ifVersion: 4),
            ]),
            [
                .stored(at(2), .none),
                .duplicate(at(2), .none, ConversationNumber(settingsOf: UserNumber(1)), first.time),
                .refused(.conflict), .stored(at(3), .none), .refused(.conflict), .stored(at(4), .none),
                .stored(at(5), .none), .stored(at(6), SequenceNumber(1)), .unchanged, .unchanged,
            ])
        try store.goOn()
        // A stale version doesn't matter if the value is there already: it is a retry.
        try expect(
            try store.commit([
                store.setting(1, "b", "2", ifVersion: 2), store.setting(1, "b", "3", ifVersion: 2),
                store.setting(1, "a", nil, ifVersion: 4), store.setting(1, "c", "3", at: 9),
            ]),
            [
                .duplicate(at(3), .none, ConversationNumber(settingsOf: UserNumber(1)), first.time),
                .refused(.conflict), .stored(at(7), .none), .stored(at(8), .none),
            ])
        try store.goOn()
        let missed = try store.missed(1, after: 0).events
        try expect(missed.map(\.label), ["b", "a", "c"])
        try expect(missed.map(\.text), ["2", "", "3"])
        try expect(missed.map(\.position.value), [3, 7, 8])
        try expect(missed.map(\.kind), [.state, .state, .state])
        try expect(missed.map(\.device), ["phone", "phone", "phone"])
        try expect(try store.missed(1, after: 3).events.map(\.label), ["a", "c"])
        let part = try store.missed(1, after: 0, rows: 2)
        try expect(part.events.map(\.label), ["b", "a"])
        try expect(part.spans.map(\.after.value), [7])
        try expect(try store.settings(1).events.map(\.label), ["b", "c"])
        try expect(try store.settings(1).events.map(\.position.value), [3, 8])
        try expect(try store.settings(2).events.map(\.text), ["\"bob\""])
        try expect(try store.settings(3).events.count, 0)
        // They belong to no conversation, and aren't in the feed of services.
        try expect(try store.feed(after: .start, rows: 100).events.map(\.position.value), [1, 6])
        try expect(try store.history(1).count, 1)
        let snapshot = try store.load()
        try expect(snapshot.head, at(8))
        try expect(
            snapshot.settings,
            [
                .init(UserNumber(1), lastPosition: at(8), lastTime: time(9)),
                .init(UserNumber(2), lastPosition: at(5), lastTime: time(7)),
            ])
        try expect(try store.commit([store.message(1, by: 1, "n")]), [.stored(at(9), SequenceNumber(2))])
        // All settings of a user who has left for good are gone.
        try store.apply([.profile(UserNumber(1), .tombstone(version: 1))])
        try store.goOn()
        try expect(try store.settings(1).events.count, 0)
        try expect(try store.load().settings.map(\.user), [UserNumber(2)])
        try expect(try store.commit([store.setting(2, "b", nil)]), [.stored(at(10), .none)])
    }

    /// A user has a bounded number of keys; forgotten removals are replaced by a mark.
    @Sendable static func manySettings(_ store: inout StoreDriver) throws {
        try store.apply([.user(UserNumber(1), name: "alice"), .user(UserNumber(2), name: "bob")])
        let most = Limits().statesPerUser
        let keys = (0..<most).map { "k/\(1_000 + $0)" }
        _ = try store.commit(keys.map { store.setting(1, $0, "\"v\"") })
        try store.goOn()
        try expect(
            try store.commit([
                store.setting(1, "more", "1"), store.setting(2, "more", "1"), store.setting(1, keys[0], "2"),
            ]),
            [.refused(.tooLarge), .stored(at(Int64(most) + 1), .none), .stored(at(Int64(most) + 2), .none)])
        let page = try store.settings(1, .prefix("k/1"), rows: 10)
        try expect(page.events.map(\.label), Array(keys[..<10]))
        try expect(page.hasMore, true)
        try expect(try store.settings(1, .prefix("k/10"), after: "k/1098").events.map(\.label), ["k/1099"])
        try expect(try store.settings(1, .prefix("l")).events.count, 0)
        try expect(try store.settings(1, bytes: 7).events.map(\.text), ["2", "\"v\"", "\"v\""])
        let named = try store.settings(1, .keys([keys[3], "none", keys[1], keys[3]]))
        try expect(named.events.map(\.label), [keys[1], keys[3]])
        try expect(named.hasMore, false)
        // All are removed and set again, then removed once more: the oldest half of the removals is forgotten.
        _ = try store.commit(keys.map { store.setting(1, $0, nil) })
        try store.goOn()
        try expect(try store.missed(1, after: 0, rows: 5_000).events.count, most)
        let others = (0..<most / 2).map { "l/\(1_000 + $0)" }
        _ = try store.commit(others.flatMap { [store.setting(1, $0, "1"), store.setting(1, $0, nil)] })
        try store.goOn()
        let missed = try store.missed(1, after: 0, rows: 5_000).events
        try expect(missed.count(where: { $0.label.isEmpty }), 1)
        try expect(missed.count <= most + 1, true)
        try expect(missed.allSatisfy { $0.body.isEmpty }, true)
        let mark = missed.first { $0.label.isEmpty }?.position ?? .start
        try expect(missed.map(\.position).min() == mark, true)
        // A device that got the mark doesn't get it again.
        try expect(try store.missed(1, after: mark.value, rows: 5_000).events.allSatisfy { !$0.label.isEmpty }, true)
        try expect(try store.settings(1).events.count, 0)
        try expect(try store.commit([store.setting(1, "a", "1")]).count, 1)
        try expect(try store.settings(1).events.map(\.label), ["a"])
        // Mutes come with the snapshot, as they are now.
        _ = try store.commit([
            store.setting(2, "mute/c-2", "true"), store.setting(2, "mute/c-1", #"{"until":5}"#),
            store.setting(2, "mute/c-3", "true"), store.setting(2, "mute", "1"), store.setting(2, "mute0", "1"),
        ])
        try store.goOn()
        _ = try store.commit([store.setting(2, "mute/c-2", "false"), store.setting(2, "mute/c-3", nil)])
        try store.goOn()
        let mutes = try store.load().settings.flatMap(\.mutes)
        try expect(mutes.map(\.key), ["mute/c-1", "mute/c-2"])
        try expect(mutes.map { String(decoding: $0.value, as: UTF8.self) }, [#"{"until":5}"#, "false"])
    }
}
