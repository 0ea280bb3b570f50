import CSQLite
import Foundation
import RoostCore
import RoostProtocol
import Testing

@testable import RoostStorage

/// The write-ahead log is bounded: by commits under load, with a reader in the way, and emptied at a clean stop.
@Suite struct CheckpointTests {
    private func size(_ scratch: Scratch) throws -> Int {
        let found = try FileManager.default.attributesOfItem(atPath: scratch.path() + "-wal")
        return (found[.size] as? NSNumber)?.intValue ?? 0
    }

    private func load(_ log: SQLiteLog, megabytes: Int) throws {
        let large = message(String(repeating: "x", count: 60_000))
        for _ in 0..<megabytes { _ = try log.commit((0..<16).map { _ in large }) }
    }

    @Test func commitsKeepTheWALBounded() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .normal)
        _ = try log.commit([creation()])
        try load(log, megabytes: 60)
        #expect(log.statistics.checkpoints >= 3)
        #expect(try size(scratch) < 20 << 20)
        #expect(try log.checkpoint())
        #expect(try size(scratch) == 0)
        log.close()
        #expect(!FileManager.default.fileExists(atPath: scratch.path() + "-wal"))
    }

    @Test func anIdleWriterCheckpointsEarlier() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .normal)
        defer { log.close() }
        _ = try log.commit([creation()])
        #expect(try log.writer.maintain() == false)
        #expect(log.statistics.checkpoints == 0)
        try load(log, megabytes: 6)
        #expect(try log.writer.maintain() == false)
        #expect(log.statistics.checkpoints == 1)
        #expect(try log.writer.maintain() == false)
        #expect(log.statistics.checkpoints == 1)
    }

    /// A read transaction that stays open keeps the WAL from beginning anew; when it ends, the next tries succeed.
    @Test func aReaderInTheWayDelaysButDoesNotStopIt() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .normal)
        defer { log.close() }
        _ = try log.commit([creation()])
        try log.reader.database.execute("BEGIN; SELECT count(*) FROM log")
        try load(log, megabytes: 40)
        let grown = try size(scratch)
        #expect(grown > 30 << 20)
        try log.reader.database.execute("COMMIT")
        try load(log, megabytes: 30)
        #expect(try size(scratch) < grown + (12 << 20))
        #expect(log.statistics.walBytes < 20 << 20)
        #expect(try log.history(1, rows: 1).count == 1)
    }
}
