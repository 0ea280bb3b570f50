import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// A commit that fails poisons the writer. Everything that was committed before is still there.
@Suite struct FailureTests {
    /// A store that can only grow by a few pages, like one on a full disk.
    private func full(_ scratch: Scratch, _ bounds: StorageBounds = StorageBounds()) throws -> SQLiteLog {
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        _ = try log.commit([creation(), message("kept", key: "kept")])
        let pages = try #require(try log.writer.database.value("PRAGMA page_count"))
        let most = (Int(pages) ?? 0) + 2
        #expect(try log.writer.database.value("PRAGMA max_page_count = \(most)") == "\(most)")
        return log
    }

    @Test func aFullDiskPoisonsTheWriter() throws {
        let scratch = try Scratch()
        let log = try full(scratch)
        let large = message(String(repeating: "x", count: 60_000), key: "lost")
        let error = #expect(throws: StorageFailure.self) { try log.commit([message("also lost"), large]) }
        guard case .failed(_, 13, _) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(log.statistics.isPoisoned)
        #expect(throws: StorageFailure.poisoned) { try log.commit([message("small")]) }
        #expect(throws: StorageFailure.poisoned) { try log.commit([]) }
        #expect(try log.writer.maintain() == false)
        // Readers work on, and see nothing of the failed commit.
        #expect(try log.history(1).map(\.body) == [Array("\"kept\"".utf8)])
        #expect(throws: StorageFailure.poisoned) { try log.checkpoint() }
        log.close()
        #expect(FileManager.default.fileExists(atPath: scratch.path() + "-wal"))
        let again = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { again.close() }
        #expect(try again.load().head == Position(2))
        #expect(position(try again.commit([message("next", key: "lost")]).first) == 3)
    }

    @Test func aFullDiskWhileIndexingPoisonsTheWriter() throws {
        let scratch = try Scratch()
        var bounds = StorageBounds.tiny
        bounds.idleRows = 4_000
        bounds.tailRows = 10_000
        bounds.idleEntries = 20_000
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        _ = try log.commit([creation()] + (0..<4_000).map { message(key: "k\($0)") })
        _ = try log.writer.database.value("PRAGMA max_page_count = 1")
        #expect(throws: StorageFailure.self) { try log.writer.maintain() }
        #expect(throws: StorageFailure.poisoned) { try log.commit([message()]) }
        #expect(try log.history(1, rows: 5_000).count == 4_000)
        log.close()
        let again = try SQLiteLog(scratch.path(), .full, bounds)
        defer { again.close() }
        try again.writer.maintainAll()
        #expect(again.statistics.unindexedRows == 0)
        #expect(try again.history(1, rows: 5_000).count == 4_000)
    }

    /// The relay leases its numbers, so a number that is taken shows damage. The row that has it stays as it is.
    @Test(arguments: [
        Mutation.user(UserNumber(7), name: "bob"),
        .device(DeviceNumber(3), user: UserNumber(7), name: "tablet", cursor: .start),
    ])
    func aNumberThatIsTakenIsAFailure(second: Mutation) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        _ = try log.writer.commit([
            .user(UserNumber(7), name: "alice"),
            .device(DeviceNumber(3), user: UserNumber(7), name: "phone", cursor: Position(1)),
        ])
        let error = #expect(throws: StorageFailure.self) { try log.writer.commit([second]) }
        #expect(error?.description.contains("number") == true && error?.description.contains("is taken") == true)
        #expect(throws: StorageFailure.poisoned) { try log.writer.commit([]) }
        log.close()
        let again = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { again.close() }
        let snapshot = try again.load()
        #expect(snapshot.users.map(\.name) == ["alice"])
        #expect(snapshot.devices.map(\.name) == ["phone"])
    }

    @Test func aClosedStoreAnswersNothing() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        log.close()
        log.close()
        #expect(throws: StorageFailure.closed) { try log.commit([message()]) }
        #expect(throws: StorageFailure.closed) { try log.history(1) }
        #expect(throws: StorageFailure.closed) { try log.checkpoint() }
    }

    /// A page of the event index is overwritten. A question then gets an error that says what to do. It doesn't crash,
    /// answer wrongly, or stop the relay.
    @Test func aDamagedPageIsAnError() throws {
        let scratch = try Scratch()
        var log = try SQLiteLog(scratch.path(), .full, .tiny)
        _ = try log.commit([creation()] + (0..<200).map { message(key: "k\($0)") })
        try log.writer.maintainAll()
        let root = try #require(
            try log.writer.database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'event_block'"))
        #expect(try log.checkpoint())
        log.close()
        // A start would see it, and refuse.
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.path()))
        try file.seek(toOffset: ((UInt64(root) ?? 1) - 1) * UInt64(Database.pageBytes))
        file.write(Data(repeating: 0xEE, count: Database.pageBytes))
        try file.close()
        #expect(throws: StorageFailure.self) { try log.history(1) }
        #expect(try log.commit([about(.edit, 3)]) == [.refused(.unavailable)])
        #expect(log.statistics.notices[.damagedIndex] == 1)
        #expect(position(try log.commit([message()]).first) == 202)
        log.close()
        try SQLiteLog.reindex(scratch.path(), .full, .tiny, reporter: StorageReporter())
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        #expect(try log.history(1).count == 201)
        #expect(position(try log.commit([about(.edit, 3)]).first) == 203)
    }

    @Test func bodiesWithAnythingInThemAreKept() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        var odd = message(key: "k\0'\"; DROP TABLE log; --")
        odd.body = [0, 255, 39, 0, 34] + [UInt8](repeating: 7, count: 70_000)
        odd.device = ""
        odd.label = "später"
        let emptyReaction = about(.react, 1)
        var nameless = emptyReaction
        nameless.label = ""
        _ = try log.commit([creation(), odd])
        let found = try #require(try log.history(1).first)
        #expect(found.body == odd.body)
        #expect(found.key == odd.key)
        #expect(found.device.isEmpty && found.label == "später")
        #expect(try log.commit([nameless]) == [.refused(.badRequest)])
        #expect(position(try log.commit([emptyReaction]).first) == 3)
    }

    /// No number in a question traps or makes the answer slow.
    @Test func questionsAtTheEdgesOfTheNumbersAreAnswered() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        _ = try log.commit([creation()] + (0..<10).map { message(key: "k\($0)") })
        try log.writer.maintainAll()
        _ = try log.commit([message(key: "last")])
        let edges: [Int64] = [.min, -1, 0, 1, 11, .max]
        for low in edges {
            for high in edges {
                let history = HistoryRequest(
                    conversation: ConversationNumber(1), reader: UserNumber(1), after: SequenceNumber(low),
                    before: SequenceNumber(high), isNewest: low == 0, rows: 100, bytes: .max)
                let messages = try log.reader.answer(Read(ticket: 1, .history(history))).events.count
                #expect(messages == (1...11).count { $0 > low && $0 < high })
                for backlog in [nil, PageRequest.Backlog(messages: 3, changes: 1, rows: 5)] {
                    let span = PageRequest.Span(
                        ConversationNumber(1), after: Position(low), upTo: Position(high), since: SequenceNumber(low))
                    let page = PageRequest(spans: [span], rows: 2, bytes: .max, backlog: backlog)
                    #expect(try log.reader.answer(Read(ticket: 1, .page(page))).events.count <= 2)
                }
            }
        }
    }
}
