import RoostCore
import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// Rows wait in stages before they go into the event index: in memory for look-ups, on the disk for the next start.
@Suite struct StageTests {
    private func stagedRows(_ log: SQLiteLog) throws -> Int {
        let stages = try log.writer.database.prepare("SELECT before, position, rows FROM event_stage")
        var count = 0
        while try stages.step() {
            count += Array(EventRows(before: stages.int64(0), position: stages.int64(1), bytes: stages.bytes(2))).count
        }
        return count
    }

    /// Sends messages to two conversations until so many rows are staged, and no more are about to be.
    private func fill(_ log: SQLiteLog, staged: Int) throws -> Int {
        _ = try log.commit([creation(1), creation(2)])
        var sent = 0
        while try stagedRows(log) < staged || log.writer.merge != nil {
            _ = try log.commit((0..<10).map { message("m\(sent + $0)", in: Int32($0 % 2 + 1), key: "k\(sent + $0)") })
            sent += 10
        }
        return sent
    }

    private var bounds: StorageBounds {
        var bounds = StorageBounds()
        bounds.tailRows = 100
        return bounds
    }

    @Test func commitsStageThriceAndThenIndexAll() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        var sent = try fill(log, staged: 300)
        #expect(try log.indexedRows() == 0)
        while try log.indexedRows() == 0 || log.writer.merge != nil {
            _ = try log.commit((0..<10).map { message("m\(sent + $0)", in: Int32($0 % 2 + 1)) })
            sent += 10
        }
        #expect(try stagedRows(log) == 0)
        #expect(try log.indexedRows() > 400)
        #expect(log.writer.tail.olderParts == 0)
        #expect(try log.history(1).map(\.sequence.value) == (1...Int64(sent / 2)).map { $0 })
        #expect(try log.page(2).count == sent / 2 + 1)
    }

    /// A start brings the stages back, and reads only what came after them from the log.
    @Test func aStartReadsTheStages() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        let sent = try fill(log, staged: 200)
        let again = try SQLiteLog(path: try scratch.crashCopy(as: "copy"), durability: .full)
        defer { again.close() }
        #expect(again.writer.tail.olderParts == 2)
        #expect(again.statistics.unindexedRows == sent + 2)
        #expect(again.writer.tail.newRows == sent + 2 - (try stagedRows(again)))
        for number: Int32 in [1, 2] {
            #expect(try again.history(number).map(\.position) == log.history(number).map(\.position))
            #expect(try again.page(number).map(\.position) == log.page(number).map(\.position))
        }
        _ = try again.commit([about(.edit, 1), about(.edit, Int64(sent / 2), in: 2)])
        #expect(try again.history(1).first?.editedAt == Timestamp(milliseconds: 1_000))
        #expect(try again.history(2).last?.editedAt == Timestamp(milliseconds: 1_000))
        try again.writer.maintainAll()
        #expect(try again.writer.mergeWhenIdle(isForced: true))
        try again.writer.maintainAll()
        #expect(try stagedRows(again) == 0)
    }

    /// One start after the other, each from the files as a kill left them in the midst of a stage or of the index.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func killsOneAfterTheOtherLoseNothing(seed: UInt64) throws {
        let scratch = try Scratch()
        var random = SeededGenerator(seed: seed)
        var name = "roost.db"
        var log = try SQLiteLog(scratch.path(name), .full, .tiny)
        defer { log.close() }
        _ = try log.commit([creation(1), creation(2)])
        var sent = [0, 0]
        for round in 0..<120 {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let conversation = Int.random(in: 0...1, using: &random)
                _ = try log.commit([message(in: Int32(conversation + 1), key: "k\(sent[0])-\(sent[1])")])
                sent[conversation] += 1
            }
            if Int.random(in: 0..<6, using: &random) == 0 { _ = try log.writer.maintain() }
            #expect(log.writer.tail.olderParts <= StorageBounds.tiny.stages + 1)
            if Int.random(in: 0..<4, using: &random) == 0 {
                let copy = try scratch.crashCopy(of: name, as: "crash\(round)")
                log.close()
                name = "crash\(round)"
                log = try SQLiteLog(copy, .full, .tiny)
            }
            for index in 0...1 {
                let number = Int32(index + 1)
                #expect(try log.history(number).map(\.sequence.value) == (0..<sent[index]).map { Int64($0 + 1) })
                #expect(try log.page(number).count == sent[index] + 1)
            }
            // Every row is in memory or indexed, and what isn't read from the log at the next start is staged.
            let tail = log.writer.tail
            #expect(tail.floor + Int64(tail.rows) == Int64(sent[0] + sent[1] + 2))
            #expect(try log.writer.merge != nil || stagedRows(log) == tail.rows - tail.newRows)
        }
    }

    /// A busy writer must not keep what is erased because rows are only staged.
    @Test func erasedRowsDontWaitForStages() throws {
        let scratch = try Scratch()
        var bounds = bounds
        bounds.stages = 1_000
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        _ = try fill(log, staged: 100)
        var erase = message(in: 1)
        erase.kind = .conversation
        erase.change = .erase
        _ = try log.commit([erase])
        for _ in 0..<60 { _ = try log.commit((0..<10).map { _ in message(in: 2) }) }
        #expect(log.statistics.erasuresPending == 0)
        #expect(try log.storedRows(of: 1) == 0)
    }
}
