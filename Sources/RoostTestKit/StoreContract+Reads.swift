import RoostCore
import RoostWire

// MARK: Reading

extension StoreContract {
    @Sendable static func pages(_ store: inout StoreDriver) throws {
        for conversation in Int32(1)...3 { try store.create(conversation, members: [1]) }
        _ = try store.commit((0..<30).map { store.message(Int32($0 % 3 + 1), by: 1, "m\($0)") })
        try store.goOn()
        _ = try store.commit((30..<36).map { store.message(Int32($0 % 3 + 1), by: 1, "m\($0)") })
        let spans = [
            PageRequest.Span(ConversationNumber(1), after: .start, upTo: at(39)),
            PageRequest.Span(ConversationNumber(2), after: at(20), upTo: at(30)),
            PageRequest.Span(ConversationNumber(8), after: .start, upTo: at(39)),
        ]
        let wanted = (1...39).filter { position in
            position == 1 || position > 3 && ((position - 4) % 3 == 0 || (position - 4) % 3 == 1 && 21...30 ~= position)
        }
        var got: [Int] = []
        var rest = spans
        while true {
            let page = try store.page(PageRequest(spans: rest, rows: 4, bytes: 1 << 20))
            got += page.events.map { Int($0.position.value) }
            try expect(page.gaps.isEmpty, true)
            guard page.hasMore, let last = page.events.last else { break }
            try expect(page.events.count, 4)
            for index in rest.indices { rest[index].after = max(rest[index].after, last.position) }
        }
        try expect(got, wanted)
        let nothing = PageRequest(spans: [], rows: 4, bytes: 1 << 20)
        try expect(try store.page(nothing).events.count, 0)
    }

    @Sendable static func bounds(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        _ = try store.commit((0..<10).map { _ in store.message(1, by: 1, String(repeating: "x", count: 98)) })
        try store.goOn()
        func page(rows: Int, bytes: Int) throws -> ReadResult {
            let span = PageRequest.Span(ConversationNumber(1), after: at(1), upTo: at(11))
            return try store.page(PageRequest(spans: [span], rows: rows, bytes: bytes))
        }
        try expect(try page(rows: 10, bytes: 1_000).events.count, 10)
        try expect(try page(rows: 10, bytes: 1_000).hasMore, false)
        let short = try page(rows: 10, bytes: 350)
        try expect(1...4 ~= short.events.count && short.hasMore, true)
        let single = try page(rows: 10, bytes: 1)
        try expect(single.events.count, 1)
        try expect(single.hasMore, true)
        let newest = try store.history(1, isNewest: true, rows: 10, bytes: 1)
        try expect(newest.events.map(\.sequence.value), [10])
        try expect(newest.hasMore, true)
    }

    @Sendable static func gaps(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        try store.create(2, members: [1])
        _ = try store.commit((0..<30).map { store.message(1, by: 1, "m\($0)") })
        try store.goOn()
        _ = try store.commit([store.event(.react, 1, by: 1, of: 3, "+"), store.message(2, by: 1, "x")])
        _ = try store.commit((0..<3).map { store.message(1, by: 1, "n\($0)") })
        func page(_ after: Int64, _ most: Int, since: Int64 = 0) throws -> ReadResult {
            let spans = [
                PageRequest.Span(
                    ConversationNumber(1), after: at(after), upTo: at(37), since: SequenceNumber(since)),
                PageRequest.Span(ConversationNumber(2), after: at(after), upTo: at(37)),
            ]
            let backlog = PageRequest.Backlog(messages: most, changes: 10, rows: 100)
            return try store.page(PageRequest(spans: spans, rows: 5, bytes: 1 << 20, backlog: backlog))
        }
        // 33 messages. The newest five begin at the 29th, which has position 31.
        func gap(_ from: Int64, place: Int64) -> [Gap] {
            [Gap(ConversationNumber(1), from: SequenceNumber(from), to: SequenceNumber(28), place: at(place))]
        }
        var result = try page(0, 32)
        try expect(result.gaps, gap(1, place: 2))
        // The creations come as well, and the gap behind that of its conversation.
        try expect(result.events.map(\.position.value), [1, 2, 31, 32, 34])
        try expect(result.hasMore, true)
        result = try store.page(PageRequest(spans: result.spans, rows: 9, bytes: 1 << 20))
        try expect(result.gaps, [])
        try expect(result.events.map(\.position.value), [35, 36, 37])
        result = try page(0, 33)
        try expect(result.gaps, [])
        try expect(result.events.map(\.position.value), [1, 2, 3, 4, 5])
        result = try page(12, 20)
        try expect(result.gaps, gap(11, place: 12))
        try expect(result.events.first?.position, at(31))
        result = try page(0, 20, since: 12)
        try expect(result.gaps, gap(13, place: 14))
        result = try page(0, 20, since: 13)
        try expect(result.gaps, [])
    }

    /// A backlog that is too long still has the changes of messages that the device has, and of the conversation.
    @Sendable static func changesInGaps(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        _ = try store.commit((0..<3).map { store.message(1, by: 1, "m\($0)") })
        // The device has everything up to here, position 4.
        _ = try store.commit((3..<10).map { store.message(1, by: 1, "m\($0)") })
        _ = try store.commit([
            edit(&store, 1, "old", at: 1), edit(&store, 1, "new", at: 2), store.event(.delete, 1, by: 1, of: 2, ""),
            store.event(.delete, 1, by: 1, of: 5, ""),
            store.change(1, by: 1, .rename("n")), store.event(.react, 1, by: 1, of: 6, "+"),
        ])
        try store.goOn()
        _ = try store.commit((10..<15).map { store.message(1, by: 1, "m\($0)") })
        _ = try store.commit([store.event(.react, 1, by: 1, of: 3, "+")])
        func page(changes: Int, rows: Int) throws -> ReadResult {
            let span = PageRequest.Span(ConversationNumber(1), after: at(4), upTo: at(23))
            let backlog = PageRequest.Backlog(messages: 5, changes: changes, rows: rows)
            return try store.page(PageRequest(spans: [span], rows: 4, bytes: 1 << 20, backlog: backlog))
        }
        var result = try page(changes: 6, rows: 100)
        try expect(
            result.gaps, [Gap(ConversationNumber(1), from: SequenceNumber(4), to: SequenceNumber(11), place: at(4))])
        // The last edit of 1, the deletion of 2 and the new name; nothing of the messages that are left out.
        try expect(result.events.map(\.position.value), [13, 14, 16, 19])
        result = try store.page(PageRequest(spans: result.spans, rows: 9, bytes: 1 << 20))
        try expect(result.gaps, [])
        try expect(result.events.map(\.position.value), [20, 21, 22, 23])
        // With too many changes, all of them are left out, and the gap says so.
        for (changes, rows) in [(5, 100), (6, 8)] {
            result = try page(changes: changes, rows: rows)
            try expect(
                result.gaps,
                [
                    Gap(
                        ConversationNumber(1), from: SequenceNumber(1), to: SequenceNumber(11), place: at(4),
                        isReset: true)
                ])
            try expect(result.events.map(\.position.value), [19, 20, 21, 22])
        }
    }

    private static func edit(_ store: inout StoreDriver, _ sequence: Int64, _ text: String, at time: Int64) -> Append {
        var edit = store.event(.edit, 1, by: 1, of: sequence, text)
        edit.time = StoreContract.time(2_000 + time)
        return edit
    }

    /// Only the last of several edits of a message is read, and none of a deleted message.
    @Sendable static func lastEdits(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        _ = try store.commit((0..<2).map { store.message(1, by: 1, "m\($0)") })
        try store.goOn()
        _ = try store.commit([
            edit(&store, 1, "one", at: 1), edit(&store, 2, "two", at: 2), edit(&store, 1, "three", at: 3),
            store.event(.delete, 1, by: 1, of: 2, ""),
        ])
        let span = PageRequest.Span(ConversationNumber(1), after: at(3), upTo: at(7))
        let page = try store.page(PageRequest(spans: [span], rows: 9, bytes: 1 << 20))
        try expect(page.events.map(\.position.value), [6, 7])
        try expect(page.reached, at(7))
    }

    @Sendable static func since(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        _ = try store.commit((0..<6).map { store.message(1, by: 1, "m\($0)") })
        try store.goOn()
        _ = try store.commit([
            store.event(.react, 1, by: 1, of: 2, "+"), store.event(.edit, 1, by: 1, of: 5, "e"),
            store.change(1, by: 1, .rename("x")), store.event(.delete, 1, by: 1, of: 4, ""),
        ])
        let span = PageRequest.Span(ConversationNumber(1), after: .start, upTo: at(11), since: SequenceNumber(4))
        let page = try store.page(PageRequest(spans: [span], rows: 10, bytes: 1 << 20))
        try expect(page.events.map(\.position.value), [1, 6, 7, 9, 10])
        try expect(page.hasMore, false)
        let full = try store.page(PageRequest(spans: [span], rows: 5, bytes: 1 << 20))
        try expect(full.hasMore, false)
    }

    @Sendable static func history(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        _ = try store.commit((0..<20).map { store.message(1, by: 1, "m\($0)") })
        _ = try store.commit([store.change(1, by: 1, .rename("x")), store.event(.react, 1, by: 1, of: 3, "+")])
        try store.goOn()
        _ = try store.commit((20..<25).map { store.message(1, by: 1, "m\($0)") })
        func sequences(_ after: Int64, _ before: Int64, _ isNewest: Bool, _ rows: Int) throws -> ([Int64], Bool) {
            let result = try store.history(1, after: after, before: before, isNewest: isNewest, rows: rows)
            return (result.events.map(\.sequence.value), result.hasMore)
        }
        let cases: [(Int64, Int64, Bool, Int, ClosedRange<Int64>, Bool)] = [
            (0, .max, true, 3, 23...25, true), (0, .max, true, 25, 1...25, false), (0, .max, true, 24, 2...25, true),
            (0, 22, true, 2, 20...21, true), (0, 3, true, 5, 1...2, false), (18, .max, false, 4, 19...22, true),
            (18, .max, false, 7, 19...25, false), (3, 5, false, 9, 4...4, false),
        ]
        for (after, before, isNewest, rows, wanted, hasMore) in cases {
            let got = try sequences(after, before, isNewest, rows)
            try expect(got.0, Array(wanted))
            try expect(got.1, hasMore)
        }
        let empty: [(Int64, Int64)] = [(25, .max), (4, 5), (9, 2), (0, 0), (0, -7), (.max, .max)]
        for (after, before) in empty {
            try expect(try sequences(after, before, true, 5).0, [])
        }
        try ChangesContract.standBetweenMessages(&store)
        let message = try store.history(1, after: 2, before: 4, isNewest: true, rows: 1).events[0]
        try expect(message.text, "\"m2\"")
        try expect(message.device, "phone")
        try expect(message.label, "text")
        try expect(message.sender, UserNumber(1))
    }

    @Sendable static func latest(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        try store.create(2, members: [1])
        _ = try store.commit([store.message(1, by: 1, "a"), store.message(2, by: 1, "b")])
        try store.goOn()
        _ = try store.commit([store.message(1, by: 1, "c")])
        let found = try store.latest([(2, 1), (1, 2), (1, 3), (1, 0), (5, 1), (1, 1)])
        try expect(found.map(\.text), ["\"b\"", "\"c\"", "\"a\""])
    }

    /// Rows of all conversations, those of an erased one left out; an edit shows the message's present body.
    @Sendable static func feed(_ store: inout StoreDriver) throws {
        for conversation in Int32(1)...3 { try store.create(conversation, members: [1]) }
        _ = try store.commit((0..<20).map { store.message(Int32($0 % 3 + 1), by: 1, "m\($0)") })
        try store.goOn()
        _ = try store.commit([
            store.event(.edit, 1, by: 1, of: 1, "e1"), store.event(.edit, 1, by: 1, of: 1, "e2"),
            store.event(.react, 2, by: 1, of: 2, "+"), store.event(.delete, 2, by: 1, of: 1, ""),
            store.change(3, by: 1, .erase), store.message(1, by: 1, "last"),
        ])
        let erased = Set((4...23).filter { $0 % 3 == 0 } + [3, 28])
        let wanted = (1...29).filter { !erased.contains($0) }
        for rows in [1, 4, 100] {
            var got: [StoredEvent] = []
            var after = Position.start
            while true {
                let page = try store.feed(after: after, rows: rows)
                try expect(page.events.count <= rows && page.damaged.isEmpty, true)
                got += page.events
                try expect(page.reached >= page.events.last?.position ?? after, true)
                guard page.hasMore else {
                    try expect(page.reached, at(29))
                    break
                }
                after = page.reached
            }
            try expect(got.map { Int($0.position.value) }, wanted)
            try expect(got.filter { $0.kind == .edit }.map(\.text), ["\"e2\"", "\"e2\""])
        }
        try expect(try store.feed(after: at(26), rows: 10).events.map(\.position.value), [27, 29])
        for after in [at(29), at(30), at(.max)] {
            let end = try store.feed(after: after, rows: 10)
            try expect(end.events.isEmpty && !end.hasMore, true)
        }
        let short = try store.feed(after: .start, rows: 10, bytes: 1)
        try expect(short.events.count <= 2 && short.hasMore, true)
        try expect(try store.feed(after: at(-5), rows: 1).events.map(\.position.value), [1])
    }
}
