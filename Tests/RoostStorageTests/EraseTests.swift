import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Deleted content is also gone from the disk.
@Suite struct EraseTests {
    private func erasing(_ conversation: Int32) -> Append {
        var event = message(in: conversation)
        event.kind = .conversation
        event.change = .erase
        return event
    }

    /// The body is once short enough for the row's own page, and once on overflow pages.
    @Test(arguments: [1, 2_000])
    func aDeletedBodyIsOverwritten(times: Int) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        let secret = String(repeating: "squirrel", count: times)
        var edit = about(.edit, 1)
        edit.body = Array("\"\(secret) again\"".utf8)
        _ = try log.commit([creation(), message(secret), message("other")])
        _ = try log.commit([edit])
        #expect(try scratch.holds("squirrel"))
        _ = try log.commit([about(.delete, 1)])
        #expect(try log.checkpoint())
        #expect(try !scratch.holds("squirrel"))
        #expect(try scratch.holds("other"))
        log.close()
    }

    @Test func anErasedConversationGoesInSlices() throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        bounds.erasedRowsWhenIdle = 10
        bounds.erasedRowsPerCommit = 10
        bounds.keysPerPart = 1
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        _ = try log.commit([creation(1), creation(2), message("stays", in: 2, key: "stays")])
        _ = try log.commit((0..<100).map { message("squirrel\($0)", key: "k\($0)") })
        _ = try log.commit((0..<15).map { about(.react, $0 + 1) })
        #expect(position(try log.commit([erasing(1)]).first) == 119)
        #expect(log.statistics.erasuresPending == 1)
        var pieces = 0
        while try log.writer.maintain() { pieces += 1 }
        // One merge, two slices of reactions, two of their counts, 116 rows in slices of ten, and the blocks of the
        // index.
        #expect(pieces == 18)
        #expect(log.statistics.erasuresPending == 0)
        for table in ["reaction", "reaction_count"] {
            #expect(try log.writer.database.value("SELECT count(*) FROM \(table)") == "0")
        }
        #expect(try log.storedRows() == 2)
        // The keys stay in the index, but stand for nothing any more.
        #expect(try log.indexedKeys() == 101)
        #expect(position(try log.commit([message("again", in: 2, key: "k7")]).first) == 120)
        #expect(try log.indexedRows() == 2)
        #expect(try log.checkpoint())
        #expect(try !scratch.holds("squirrel"))
        #expect(try log.history(2).count == 2)
        log.close()
    }

    /// Under load the writer is never idle, so commits remove the rows.
    @Test func commitsRemoveErasedRowsToo() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        _ = try log.commit([creation(1), creation(2)])
        _ = try log.commit((0..<20).map { message(key: "k\($0)") })
        _ = try log.commit([erasing(1)])
        for index in 0..<60 { _ = try log.commit([message(in: 2, key: "n\(index)")]) }
        #expect(log.statistics.erasuresPending == 0)
        #expect(try log.storedRows() == 61)
        #expect(try log.storedRows(of: 1) == 0)
        log.close()
    }

    /// A start doesn't wait until the rows are removed. Until then the number isn't given to another conversation.
    @Test func anIdleWriterFinishesWhatAKillLeft() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        _ = try log.commit([creation(), message("squirrel", key: "k"), about(.react, 1), erasing(1)])
        let path = try scratch.crashCopy(as: "crash.db")
        log.close()
        let again = try SQLiteLog(path: path, durability: .full)
        defer { again.close() }
        #expect(again.statistics.erasuresPending == 1)
        #expect(try again.load().leases.conversations.lowerBound > 1)
        #expect(try again.commit([creation()]) == [.refused(.badRequest)])
        try again.writer.maintainAll()
        #expect(again.statistics.erasuresPending == 0)
        #expect(try again.storedRows() == 0)
        let outcomes = try again.commit([creation(), message("new", key: "k")])
        #expect(outcomes.map { position($0) } == [5, 6])
        #expect(try again.history(1).map(\.reactions.count) == [0])
    }
}
