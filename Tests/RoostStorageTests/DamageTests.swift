import RoostCore
import RoostWire
import Synchronization
import Testing

@testable import RoostStorage

/// Damage to a row costs only that row. Readers report a gap for it, the writer refuses commands about it, and the log
/// reports it. Everything else works on, also after a restart.
@Suite struct DamageTests {
    static let numbers = [
        "conversation", "sequence", "kind", "sender", "time", "checksum", "reference", "flag", "edited_at",
        "deleted_at",
    ]
    static let texts = ["device", "key", "label", "body"]

    /// Where the store finds the damaged row.
    enum Place: CaseIterable {
        case tail, index, reopenedIndex
    }

    private static let count = 12

    /// Messages 1 to 12 of conversation 1 at positions 2 to 13, keys k1 to k12, and more in conversation 2.
    private func open(_ scratch: Scratch, _ place: Place) throws -> SQLiteLog {
        let bounds = place == .tail ? StorageBounds() : .tiny
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        _ = try log.commit([creation(1)])
        _ = try log.commit((1...DamageTests.count).map { message("m\($0)", key: "k\($0)") })
        _ = try log.commit([creation(2), message(in: 2), message(in: 2)])
        if place != .tail { try log.writer.maintainAll() }
        return log
    }

    private func reopen(_ log: SQLiteLog, _ scratch: Scratch, _ place: Place) throws -> SQLiteLog {
        log.close()
        return try SQLiteLog(scratch.path(), .full, place == .tail ? StorageBounds() : .tiny)
    }

    /// Checks what must hold when a message's row can't be read.
    private func expectHole(_ log: SQLiteLog, at sequence: Int64, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let all = (1...Int64(DamageTests.count)).filter { $0 != sequence }
        let hole = SequenceNumber(sequence)
        let history = try log.answer(.history(.all(of: 1)))
        #expect(history.events.map(\.sequence.value) == all, sourceLocation: sourceLocation)
        #expect(history.gaps.map { [$0.from, $0.to] } == [[hole, hole]], sourceLocation: sourceLocation)
        for rows in [2, 100] {
            var shown: [Int64] = []
            var gaps: [Gap] = []
            var after = Position.start
            while true {
                let span = PageRequest.Span(ConversationNumber(1), after: after, upTo: Position(.max))
                let page = try log.answer(
                    .page(PageRequest(spans: [span], rows: rows, bytes: 1 << 20)))
                shown += page.events.filter { $0.kind == .message }.map(\.sequence.value)
                gaps += page.gaps
                guard page.hasMore else { break }
                try #require(page.reached > after)
                after = page.reached
            }
            #expect(shown == all, sourceLocation: sourceLocation)
            #expect(gaps.map { [$0.from, $0.to] } == [[hole, hole]], sourceLocation: sourceLocation)
        }
        let latest = LatestRequest(messages: [(ConversationNumber(1), hole), (ConversationNumber(2), hole)])
        #expect(try log.answer(.latest(latest)).events.isEmpty, sourceLocation: sourceLocation)
        for kind in [EventKind.edit, .delete, .react] {
            let outcome = try log.commit([about(kind, sequence)])
            #expect([[.refused(.gone)], [.refused(.unavailable)]].contains(outcome), sourceLocation: sourceLocation)
        }
        #expect(!log.statistics.isPoisoned, sourceLocation: sourceLocation)
        #expect(log.statistics.notices.values.reduce(0, +) > 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: Place.allCases, DamageTests.numbers + DamageTests.texts)
    func aDamagedColumnCostsItsRow(place: Place, column: String) throws {
        let scratch = try Scratch()
        var log = try open(scratch, place)
        let isText = DamageTests.texts.contains(column)
        let change = isText ? "'x' || substr(\(column), 2)" : "ifnull(\(column), 0) + 1"
        try log.writer.database.execute("UPDATE log SET \(column) = \(change) WHERE position = 6")
        if place == .reopenedIndex { log = try reopen(log, scratch, place) }
        defer { log.close() }
        try expectHole(log, at: 5)
        #expect(try log.commit([message("again", key: "k5")]) == [.refused(.gone)])
        let feed = try log.answer(.feed(FeedRequest(after: .start, rows: 100)))
        #expect(feed.damaged == [Position(6)])
        #expect(feed.events.map(\.position.value) == (1...16).filter { $0 != 6 })
        // Everything else works as before.
        #expect(position(try log.commit([message("next")]).first) == 17)
        #expect(position(try log.commit([about(.edit, 4)]).first) == 18)
        #expect(try log.history(2).count == 2)
    }

    /// A start reads the rows again that the indexes don't hold, damaged or not. No sequence is given twice.
    @Test(arguments: DamageTests.numbers + DamageTests.texts)
    func aStartGoesOnWithADamagedRow(column: String) throws {
        let scratch = try Scratch()
        var log = try open(scratch, .tail)
        let isText = DamageTests.texts.contains(column)
        let change = isText ? "'x' || substr(\(column), 2)" : "ifnull(\(column), 0) + 1"
        try log.writer.database.execute("UPDATE log SET \(column) = \(change) WHERE position = 6")
        log = try reopen(log, scratch, .tail)
        defer { log.close() }
        #expect(log.statistics.notices[.damagedRow] == 1)
        try expectHole(log, at: 5)
        #expect(try log.commit([message("next")]) == [.stored(Position(17), SequenceNumber(13))])
        #expect(try log.commit([message("next", in: 2)]) == [.stored(Position(18), SequenceNumber(3))])
        while try log.writer.mergeSlice(isForced: true) {}
        #expect(try log.history(1).map(\.sequence.value) == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13])
    }

    @Test(arguments: Place.allCases)
    func aRowThatIsGoneIsAHole(place: Place) throws {
        let scratch = try Scratch()
        var log = try open(scratch, place)
        try log.writer.database.execute("DELETE FROM log WHERE position = 6")
        if place != .tail { log = try reopen(log, scratch, place) }
        defer { log.close() }
        try expectHole(log, at: 5)
        #expect(position(try log.commit([message("next")]).first) == 17)
    }

    /// The newest row is damaged: its position and sequence are not given again.
    @Test(arguments: ["body = 'x'", "time = 0", "key = 'other'"])
    func theNumbersOfTheLastRowAreNotGivenAgain(damage: String) throws {
        let scratch = try Scratch()
        var log = try open(scratch, .tail)
        _ = try log.commit([message("newest", key: "newest")])
        try log.writer.database.execute("UPDATE log SET \(damage) WHERE position = 17")
        log = try reopen(log, scratch, .tail)
        defer { log.close() }
        #expect(try log.commit([message("next")]) == [.stored(Position(18), SequenceNumber(14))])
        #expect(try log.history(1).map(\.sequence.value) == Array(1...12) + [14])
    }

    /// An edit is shown with its message. If the message is damaged, the edit is left out too.
    @Test func anEditOfADamagedMessageIsLeftOut() throws {
        let scratch = try Scratch()
        let log = try open(scratch, .index)
        defer { log.close() }
        _ = try log.commit([about(.edit, 5), about(.edit, 6)])
        try log.writer.database.execute("UPDATE log SET body = 'x' WHERE position = 6")
        let page = try log.page(1)
        #expect(page.filter { $0.kind == .edit }.map(\.sequence.value) == [6])
        #expect(try log.answer(.feed(FeedRequest(after: Position(16), rows: 9))).damaged == [Position(17)])
    }

    /// The log names the same damage once, however often a command meets it.
    @Test func anOperatorHearsOfItOnce() throws {
        let scratch = try Scratch()
        let lines = Lines()
        let log = try SQLiteLog(scratch.path(), .full, .tiny, reporter: StorageReporter { lines.add($0) })
        defer { log.close() }
        _ = try log.commit([creation(1)] + (1...5).map { message("secret body \($0)", key: "secret\($0)") })
        try log.writer.database.execute("UPDATE log SET time = time + 1 WHERE position = 3")
        for _ in 0..<5 { _ = try log.history(1) }
        _ = try log.commit([about(.edit, 2), about(.react, 2), message(key: "secret2")])
        #expect(lines.all == ["the row at position 3 is damaged and left out"])
        #expect(log.statistics.notices == [.damagedRow: 8])
    }

    // MARK: Indexes

    /// Index entries that name the wrong row, or no row.
    @Test(arguments: [
        "UPDATE event_block SET rows = CAST(x'7f' || substr(rows, 2) AS BLOB) WHERE conversation = 1",
        "UPDATE event_block SET before = before + 1 WHERE conversation = 1",
        "UPDATE event_block SET checksum = 0 WHERE conversation = 1",
    ])
    func aDamagedEventBlockIsAnErrorThatReindexMends(damage: String) throws {
        let scratch = try Scratch()
        var log = try open(scratch, .index)
        try log.writer.database.execute(damage)
        let error = #expect(throws: StorageFailure.self) { try log.history(1) }
        #expect(error?.isIndexDamage == true)
        #expect(try #require(error).description.contains("roost store reindex"))
        #expect(try log.commit([about(.react, 9)]) == [.refused(.unavailable)])
        #expect(position(try log.commit([message("next")]).first) == 17)
        #expect(try log.history(2).count == 2)
        log.close()
        try SQLiteLog.reindex(scratch.path(), .full, .tiny, reporter: StorageReporter())
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        #expect(try log.history(1).count == 13)
        #expect(position(try log.commit([about(.react, 9)]).first) == 18)
        #expect(log.statistics.notices.isEmpty)
    }

    /// A wrong entry of the key index names a row with another key, and doesn't count.
    @Test func aWrongKeyEntryIsNoDuplicate() throws {
        let scratch = try Scratch()
        let log = try open(scratch, .index)
        defer { log.close() }
        try log.writer.database.movePositionsOfKeys(to: 3)
        #expect(position(try log.commit([message(key: "k9")]).first) == 17)
        #expect(try log.commit([message(key: "k2")]).count == 1)
    }

    /// A command whose key may be in a damaged block is refused, because it might be stored twice. Others go on.
    @Test func aDamagedBlockOfKeysRefusesRepeatedCommands() throws {
        let scratch = try Scratch()
        var log = try open(scratch, .index)
        try log.writer.database.execute("UPDATE key_block SET keys = zeroblob(length(keys))")
        #expect(try log.commit([message(key: "k2")]) == [.refused(.unavailable)])
        #expect(log.statistics.notices[.damagedIndex] == 1)
        #expect(position(try log.commit([message("no key")]).first) == 17)
        log = try reopen(log, scratch, .index)
        defer { log.close() }
        #expect(try log.commit([message(key: "k2")]) == [.refused(.unavailable)])
        #expect(position(try log.commit([message("no key")]).first) == 18)
    }

    @Test(arguments: ["9223372036854775807", "-1"])
    func anImpossibleNumberOfPartsIsRefused(parts: String) throws {
        let scratch = try Scratch()
        let log = try open(scratch, .index)
        try log.writer.database.execute("UPDATE key_generation SET parts = \(parts)")
        log.close()
        let error = #expect(throws: StorageFailure.self) { try SQLiteLog(path: scratch.path(), durability: .full) }
        #expect(error?.description.contains("roost store reindex") == true)
    }

    /// An erased conversation's rows are removed even if the index doesn't name them.
    @Test func erasingDoesNotNeedTheIndex() throws {
        let scratch = try Scratch()
        let log = try open(scratch, .index)
        defer { log.close() }
        try log.writer.database.execute("UPDATE event_block SET checksum = 0 WHERE conversation = 1")
        var erase = message()
        erase.kind = .conversation
        erase.change = .erase
        _ = try log.commit([erase])
        try log.writer.maintainAll()
        #expect(try log.storedRows(of: 1) == 0)
        #expect(try log.storedRows(of: 2) == 3)
        #expect(log.statistics.erasuresPending == 0)
    }

    /// Numbers that can't be right are refused at start, instead of trapping later.
    @Test(arguments: [
        "UPDATE meta SET value = 9223372036854775807 WHERE name = 'head_floor'",
        "UPDATE conversation SET last_sequence = 9223372036854775807",
        "UPDATE conversation SET last_sequence = -1",
        "DELETE FROM meta WHERE name = 'indexed_to'",
    ])
    func impossibleNumbersAreRefused(damage: String) throws {
        let scratch = try Scratch()
        let log = try open(scratch, .tail)
        try log.writer.database.execute(damage)
        log.close()
        let error = #expect(throws: StorageFailure.self) { try SQLiteLog(path: scratch.path(), durability: .full) }
        #expect(error?.description.contains("contradicts itself") == true)
    }

    // MARK: Reindex

    @Test func reindexMakesTheSameIndexes() throws {
        let scratch = try Scratch()
        var log = try open(scratch, .index)
        _ = try log.commit((1...200).map { message(in: Int32($0 % 2 + 1), key: "n\($0)") } + [about(.react, 1)])
        let before = (try log.history(1), try log.history(2), try log.page(1).map(\.position))
        try log.writer.database.execute("DELETE FROM key_block; DELETE FROM event_block; DELETE FROM reaction_count")
        log.close()
        let lines = Lines()
        try SQLiteLog.reindex(scratch.path(), .full, .tiny, reporter: StorageReporter { lines.add($0) })
        #expect(!lines.all.isEmpty)
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        #expect(try log.history(1).map(\.position) == before.0.map(\.position))
        #expect(try log.history(1).first?.reactions == before.0.first?.reactions)
        #expect(try log.history(2).map(\.position) == before.1.map(\.position))
        #expect(try log.page(1).map(\.position) == before.2)
        for key in ["k1", "k12", "n1", "n200"] {
            let outcome = try log.commit([message("other", key: key)])
            #expect(outcome == [.refused(.conflict)], "\(key) was stored twice")
        }
        #expect(log.statistics.notices.isEmpty)
    }

    /// State that follows from messages is found again: threads and disappearing messages, also of deleted ones.
    @Test func reindexFindsThreadsAndWhatDisappears() throws {
        let scratch = try Scratch()
        var log = try SQLiteLog(scratch.path(), .full, .tiny)
        var hide = about(.conversation, 0)
        (hide.change, hide.body) = (.expiry(5_000), Array("\"event\":\"expiry\",\"after\":5000".utf8))
        var replies = [message("b"), message("c")]
        for index in replies.indices { replies[index].extras = Extras(thread: SequenceNumber(1)) }
        _ = try log.commit([creation(), message("a"), hide] + replies + [about(.delete, 3)])
        try log.writer.database.execute("DELETE FROM thread; DELETE FROM expiring")
        log.close()
        try SQLiteLog.reindex(scratch.path(), .full, .tiny, reporter: StorageReporter())
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        #expect(try log.history(1).first?.replies?.count == 1)
        #expect(try log.load().nextExpiry == Timestamp(milliseconds: 6_000))
        _ = try log.writer.commit([.expire(upTo: Timestamp(milliseconds: 6_000))])
        #expect(try log.load().conversations[0].gone.text == "2-3")
    }
}

/// Collects what the store reports.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ notice: StorageNotice) { lines.withLock { $0.append(notice.text) } }
}

extension SQLiteLog {
    func answer(_ question: Read.Question) throws -> ReadResult {
        try reader.answer(Read(ticket: 1, question))
    }
}

extension HistoryRequest {
    static func all(of conversation: Int32) -> HistoryRequest {
        HistoryRequest(
            conversation: ConversationNumber(conversation), reader: UserNumber(1), after: .none,
            before: SequenceNumber(.max), isNewest: true, rows: 1_000, bytes: 1 << 30)
    }
}
