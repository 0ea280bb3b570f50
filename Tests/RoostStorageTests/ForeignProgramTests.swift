import CSQLite
import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Other programs open the store while the relay runs: they can read it, but can't stop the relay.
@Suite struct ForeignProgramTests {
    private func rows(_ database: Database, _ sql: String) throws -> [String] {
        let query = try database.prepare(sql)
        var rows: [String] = []
        while try query.step() {
            let columns = (0..<sqlite3_column_count(query.handle)).map { query.isNull($0) ? "-" : query.text($0) }
            rows.append(columns.joined(separator: "|"))
        }
        return rows
    }

    /// The views show names, words and times, and nothing of an erased conversation.
    @Test func theViewsCanBeReadWhileTheStoreIsOpen() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        var cursor = Watermark()
        cursor.read = SequenceNumber(1)
        cursor.readAt = Timestamp(milliseconds: 86_400_007)
        _ = try log.writer.commit([
            .user(UserNumber(1), name: "alice"),
            .device(DeviceNumber(1), user: UserNumber(1), name: "phone", cursor: Position(2)),
            .append(creation(1)), .append(creation(2)), .append(message("hello", key: "k")), .append(about(.edit, 1)),
            .append(message("gone")), .append(about(.delete, 2)), .append(about(.react, 1)),
            .watermark(ConversationNumber(1), UserNumber(1), cursor),
        ])
        var erase = message(in: 2)
        erase.kind = .conversation
        erase.change = .erase
        _ = try log.commit([erase])
        let other = try Database(path: scratch.path())
        defer { other.close() }
        let second = "1970-01-01 00:00:01.000"
        #expect(
            try rows(other, "SELECT * FROM messages") == [
                "3|\(second)|c1|1|alice|phone|k|text|-|{\"version\":2}|\"changed\"|\(second)|-",
                "5|\(second)|c1|2|alice|phone|-|text|-|-|-|-|\(second)",
            ])
        #expect(
            try rows(other, "SELECT position, kind, sequence, label FROM events") == [
                "1|conversation|0|-", "3|message|1|text", "4|edit|1|-", "5|message|2|text", "6|delete|2|-",
                "7|react|1|+",
            ])
        #expect(
            try rows(other, "SELECT * FROM members") == ["c1|alice|owner|0|0|1|0|0|-|1|1970-01-02 00:00:00.007"])
        #expect(try rows(other, "SELECT * FROM devices") == ["alice|phone|2"])
    }

    /// A commit that finds the write lock taken has done nothing yet. It waits and reports the other program.
    @Test func aForeignLockIsWaitedFor() throws {
        let scratch = try Scratch()
        let other = Holder(try Database(path: scratch.path("other.db")))
        let log = try SQLiteLog(
            scratch.path("other.db"), .full, .tiny,
            reporter: StorageReporter { notice in
                // The other program has made the file as its umask wants it.
                guard notice.kind != .permissions else { return }
                #expect(notice.kind == .foreignProgram)
                #expect(throws: Never.self) { try other.database.execute("COMMIT") }
            })
        defer { log.close() }
        try other.database.execute("BEGIN IMMEDIATE")
        #expect(position(try log.commit([creation()]).first) == 1)
        #expect(log.statistics.notices[.foreignProgram] == 1)
        #expect(!log.statistics.isWaiting)
        other.database.close()
    }

    /// A batch may come at any moment: it would have to wait for the work that waits.
    @Test func idleWorkDoesNotWaitForALock() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        _ = try log.commit([creation(), message(), message()])
        let other = try Database(path: scratch.path())
        defer { other.close() }
        try other.execute("BEGIN IMMEDIATE")
        #expect(try log.writer.maintain() == false)
        #expect(log.statistics.unindexedRows == 3 && !log.statistics.isPoisoned)
        try other.execute("COMMIT")
        try log.writer.maintainAll()
        #expect(log.statistics.unindexedRows == 0)
    }

    /// A relay that has to stop doesn't wait any longer. Nothing of the commit is stored.
    @Test func aWaitForALockCanBeGivenUp() throws {
        let scratch = try Scratch()
        let given = Holder(try Database(path: scratch.path("unused.db")))
        let log = try SQLiteLog(
            scratch.path(), .full, .tiny, reporter: StorageReporter { _ in given.log?.giveUpWaiting() })
        given.log = log
        defer { given.log = nil }
        let other = try Database(path: scratch.path())
        try other.execute("BEGIN IMMEDIATE")
        #expect(throws: StorageFailure.obstructed("has the store's write lock")) { try log.commit([creation()]) }
        try other.execute("COMMIT")
        other.close()
        #expect(throws: StorageFailure.poisoned) { try log.commit([creation()]) }
        log.close()
        let again = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { again.close() }
        #expect(position(try again.commit([creation()]).first) == 1)
    }

    /// Up to its bound, a reader of another program lets the write-ahead log grow, and commits go on. At the bound they
    /// wait until the reader is done.
    @Test func aReaderOfAnotherProgramIsWaitedForAtTheBound() throws {
        let scratch = try Scratch()
        let reader = Holder(try Database(path: scratch.path()))
        var bounds = StorageBounds.tiny
        bounds.checkpoints = CheckpointPolicy(
            frames: 4, idleFrames: 4, restFrames: 1, framesBound: 8, retryFrames: 2, framesLong: 16, framesMax: 64)
        let log = try SQLiteLog(
            scratch.path(), .full, bounds,
            reporter: StorageReporter { notice in
                guard notice.text.contains("nothing is stored until it is done") else { return }
                #expect(throws: Never.self) { try reader.database.execute("COMMIT") }
            })
        defer { log.close() }
        _ = try log.commit([creation(), message()])
        try reader.database.execute("BEGIN; SELECT count(*) FROM log")
        var most = 0
        for _ in 0..<100 {
            _ = try log.commit([message()])
            most = max(most, log.statistics.walBytes / Database.frameBytes)
        }
        // A commit that begins below the bound may write a few frames more.
        #expect((64..<96).contains(most))
        #expect(try #require(log.statistics.notices[.foreignProgram]) >= 3)
        #expect(log.statistics.walBytes < 64 * Database.frameBytes)
        #expect(try log.history(1).count == 101)
        reader.database.close()
    }

    // MARK: Files that are gone

    /// The fate of a file of an open store.
    enum Change: String, CaseIterable {
        case deleted, moved, replaced
    }

    @Test(arguments: ["", "-wal", "-shm"], Change.allCases)
    func nothingIsAckedOnceAFileIsGone(file: String, change: Change) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        _ = try log.commit([creation(), message()])
        let path = scratch.path() + file
        if change == .replaced { try FileManager.default.copyItem(atPath: path, toPath: scratch.path("copy")) }
        if change == .moved { try FileManager.default.moveItem(atPath: path, toPath: scratch.path("moved")) }
        if change != .moved { try FileManager.default.removeItem(atPath: path) }
        if change == .replaced { try FileManager.default.moveItem(atPath: scratch.path("copy"), toPath: path) }
        #expect(throws: StorageFailure.replaced(path: path)) { try log.commit([message()]) }
        #expect(throws: StorageFailure.poisoned) { try log.commit([message()]) }
    }

    @Test func anIdleWriterNoticesThatAFileIsGone() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        #expect(throws: Never.self) { try log.writer.maintainAll() }
        try FileManager.default.removeItem(atPath: scratch.path())
        #expect(throws: StorageFailure.replaced(path: scratch.path())) { try log.writer.maintain() }
    }
}

/// `@unchecked Sendable`: used on the test's thread alone.
private final class Holder: @unchecked Sendable {
    let database: Database
    var log: SQLiteLog?
    init(_ database: Database) { self.database = database }
}
