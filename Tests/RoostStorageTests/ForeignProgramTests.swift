import CSQLite
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
                "3|\(second)|c1|1|alice|phone|k|text|-|\"changed\"|\(second)|-",
                "5|\(second)|c1|2|alice|phone|-|text|-|-|-|\(second)",
            ])
        #expect(
            try rows(other, "SELECT position, kind, sequence, label FROM events") == [
                "1|conversation|0|-", "3|message|1|text", "4|edit|1|-", "5|message|2|text", "6|delete|2|-",
                "7|react|1|+",
            ])
        #expect(
            try rows(other, "SELECT * FROM members") == ["c1|alice|owner|0|1|0|0|-|1|1970-01-02 00:00:00.007"])
        #expect(try rows(other, "SELECT * FROM devices") == ["alice|phone|2"])
    }

    /// A commit that finds the write lock taken has done nothing yet. It waits and reports the other program.
    @Test func aForeignLockIsWaitedFor() throws {
        let scratch = try Scratch()
        let other = Holder(try Database(path: scratch.path("other.db")))
        let log = try SQLiteLog(
            scratch.path("other.db"), .full, .tiny,
            reporter: StorageReporter { notice in
                #expect(notice.kind == .foreignProgram)
                #expect(throws: Never.self) { try other.database.execute("COMMIT") }
            })
        defer { log.close() }
        try other.database.execute("BEGIN IMMEDIATE")
        #expect(position(try log.commit([creation()]).first) == 1)
        #expect(log.statistics.notices == [.foreignProgram: 1])
        other.database.close()
    }

    @Test func aLockThatStaysIsAFailure() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        let other = try Database(path: scratch.path())
        defer { other.close() }
        try other.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: StorageFailure.self) { try log.commit([creation()]) }
        #expect(error?.isBusy == true)
    }
}

/// `@unchecked Sendable`: used on the test's thread alone.
private final class Holder: @unchecked Sendable {
    let database: Database
    init(_ database: Database) { self.database = database }
}
