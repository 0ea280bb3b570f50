import CSQLite
import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// The write-ahead log is bounded under load and while a reader is in the way, and a clean stop empties it.
@Suite struct CheckpointTests {
    private func size(_ scratch: Scratch, _ name: String = "roost.db") throws -> Int {
        let found = try FileManager.default.attributesOfItem(atPath: scratch.path(name) + "-wal")
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

    /// Commits then overwrite the file instead of extending it, so the file system has no change of its own to sync.
    @Test func withSyncedCommitsTheWALHasItsLengthFromTheStart() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        let length = Database.walBytes(frames: CheckpointPolicy().framesBound)
        #expect(try size(scratch) == length)
        _ = try log.commit([creation()])
        // More than fits at once: SQLite begins the WAL anew, and its length stays the same.
        try load(log, megabytes: 30)
        #expect(try size(scratch) == length)
        #expect(try log.checkpoint())
        log.close()
        let other = try Scratch()
        let unsynced = try SQLiteLog(path: other.path(), durability: .normal)
        defer { unsynced.close() }
        #expect(try size(other) < 1 << 20)
    }

    /// A start after a kill reads the WAL to its last valid frame, whatever is behind it. The file keeps its length.
    @Test func aWALWithZerosBehindItIsReadAgain() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        _ = try log.commit([creation(), message("kept", key: "kept")])
        let again = try SQLiteLog(path: try scratch.crashCopy(as: "copy.db"), durability: .full)
        defer { again.close() }
        #expect(try again.history(1).first?.key == "kept")
        #expect(try size(scratch, "copy.db") == Database.walBytes(frames: CheckpointPolicy().framesBound))
        _ = try again.commit([message("more", key: "more")])
        #expect(try again.history(1).count == 2)
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

    /// An open read transaction keeps SQLite from beginning the WAL anew. After it has ended, the next attempts
    /// succeed.
    @Test func aReaderInTheWayOnlyDelaysTheCheckpoint() throws {
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

    /// The checkpointer copies nearly all of the WAL, and a commit copies the rest. SQLite then begins it anew, long
    /// before its bound.
    @Test func aCommitCopiesTheRestOfACheckpoint() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .normal)
        defer { log.close() }
        _ = try log.commit([creation()])
        try load(log, megabytes: 10)
        let passes = log.statistics.checkpoints
        for _ in 0..<4 {
            try log.writer.checkpoints.wait()
            _ = try log.commit([message()])
        }
        #expect(log.statistics.checkpoints > passes)
        #expect(log.statistics.walBytes < 1 << 20)
        #expect(try size(scratch) < 14 << 20)
        #expect(try log.history(1, rows: 1).count == 1)
    }

    /// A commit that reaches the bound waits for the checkpointer's pass, and fails if the pass fails.
    @Test func aFailedCheckpointPoisonsTheWriter() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .normal)
        _ = try log.commit([creation(), message("kept", key: "kept")])
        sqlite3_interrupt(try #require(log.writer.checkpoints.checkpointer).database.handle)
        let error = #expect(throws: StorageFailure.self) { try load(log, megabytes: 20) }
        guard case .failed("checkpoint", SQLITE_INTERRUPT, _) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(log.statistics.isPoisoned)
        #expect(throws: StorageFailure.poisoned) { try log.commit([message()]) }
        #expect(throws: StorageFailure.poisoned) { try log.checkpoint() }
        log.close()
        let again = try SQLiteLog(path: scratch.path(), durability: .normal)
        defer { again.close() }
        #expect(try again.history(1).first?.key == "kept")
    }
}
