import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// `verify` finds nothing in a sound store, whatever it holds and whatever is under way. It names each kind of damage
/// with its table and place.
@Suite struct VerifyTests {
    private func findings(_ path: String) throws -> [String] {
        try StoreVerifier.run(path, progress: noProgress).findings.map(\.description)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func findsNothingInASoundStore(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        var content = RandomContent(seed: seed)
        for batch in 0..<120 {
            _ = try log.writer.commit(content.batch())
            if content.below(3) == 0 { _ = try log.writer.maintain() }
            guard batch % 10 == 0 else { continue }
            let found = try findings(scratch.path())
            #expect(found == [], "batch \(batch)")
            let copy = try scratch.crashCopy(as: "copy-\(batch)")
            let kept = try findings(copy)
            #expect(kept == [], "batch \(batch), after a kill")
        }
        let rows = try log.storedRows()
        log.close()
        let report = try StoreVerifier.run(scratch.path(), progress: noProgress)
        #expect(report.findings == [])
        #expect(report.rows == Int64(rows))
        #expect(report.users == 7)
    }

    @Test(arguments: [
        ("UPDATE log SET body = 'x' WHERE position = 6", "log, position 6, conversation c1: message 5 isn't"),
        ("UPDATE log SET checksum = 1 WHERE position = 6", "log, position 6, conversation c1: message 5 isn't"),
        ("UPDATE log SET kind = 9 WHERE position = 6", "log, position 6, conversation c1: the event isn't"),
        ("DELETE FROM log WHERE position = 6", "log, conversation c1, before position 7: message 5 is missing"),
        (
            "DELETE FROM log WHERE position IN (6, 7)",
            "log, conversation c1, before position 8: messages 5 to 6 are missing"
        ),
        (
            "UPDATE event_block SET checksum = 0 WHERE conversation = 1",
            "event_block, conversation c1, position 1: isn't"
        ),
        ("DELETE FROM event_block WHERE conversation = 1", "event_block, conversation c1: has 0 rows"),
        ("DELETE FROM key_block WHERE part = 1", "key_block, positions 0 to 1048575: has other keys"),
        ("UPDATE key_block SET checksum = 1 WHERE part = 1", "key_block, generation 1, part 1: isn't"),
        ("UPDATE key_block SET hash = hash + 1 WHERE part = 1", "key_block, generation 1, part 1: isn't"),
        ("UPDATE key_block SET generation = 99 WHERE part = 1", "key_block: "),
        (
            "UPDATE key_generation SET filter = zeroblob(length(filter)) WHERE filter IS NOT NULL",
            "key_generation, number 1: its filter isn't what was written"
        ),
        (
            "UPDATE conversation SET last_sequence = 3 WHERE number = 1",
            "conversation, conversation c1: notes message 3"
        ),
        ("UPDATE reaction_count SET count = 5", "reaction_count, conversation c1, message 2: counts other"),
        ("DELETE FROM reaction", "reaction, conversation c1: has other reactions"),
        ("DELETE FROM conversation WHERE number = 2", "log, position 14, conversation number 2: belongs to"),
        ("DELETE FROM user WHERE number = 1", "log, position 1, conversation c1: the sender, number 1,"),
        ("UPDATE member SET read = 99", "member, conversation c1, user u1: has got or read more"),
        ("UPDATE member SET own = '3-99'", "member, conversation c1, user u1: has written more"),
        ("UPDATE member SET own = '3-2'", "member, conversation c1, user u1: has written more"),
        ("INSERT INTO device VALUES (9, 99, 'x', 0, 0, NULL, NULL)", "device, number 9: is of a user, number 99,"),
        ("INSERT INTO device VALUES (9, 1, 'x', 99, 0, NULL, NULL)", "device, number 9: has acked position 99,"),
        ("INSERT INTO revocation VALUES (99, 'phone', 3)", "revocation, number 99: is of a user, number 99,"),
        ("INSERT INTO exception VALUES (1, 99, 3)", "exception, number 1: is about a user, number 99,"),
        ("INSERT INTO exception VALUES (99, 1, 3)", "exception, number 1: is about a user, number 99,"),
        ("INSERT INTO contact VALUES (1, 99, NULL, 3, 'a', 'b', '', '', 0, 0)", "contact, number 1: is of a user,"),
        (
            "INSERT INTO contact VALUES (0, 1, NULL, 3, 'a', 'b', '', '', 0, 0)",
            "contact, number 1: is of a user, number 0,"
        ),
        ("UPDATE contact SET inviter = 4 WHERE low = 1", "contact, number 1: isn't a pair of users"),
        (
            "INSERT INTO invite VALUES (99, 'i', x'00', NULL, 'friend', 1, 0, 1, 2)",
            "invite, number 99: is of a user, number 99,"
        ),
        ("INSERT INTO prospect VALUES (99, 'p', 'n', '')", "prospect, number 99: is of a user, number 99,"),
        ("UPDATE report SET reporter = 99 WHERE number = 1", "report, number 1: is by a user, number 99,"),
        ("DELETE FROM thread", "thread, conversation c1, message 13: isn't in the thread"),
        ("UPDATE thread SET time = 9", "thread, conversation c1, message 13: isn't in the thread"),
        ("UPDATE thread SET withheld_by = 1", "thread, conversation c1, message 13: isn't in the thread"),
        ("INSERT INTO thread VALUES (1, 1, 4, 9, 0)", "thread, conversation c1, message 4: isn't in the thread"),
        ("DELETE FROM expiring", "expiring, position 20: is missing; the message stays"),
        ("INSERT INTO pin VALUES (1, 99, 1, 1, 1, 1, 0)", "pin, number 1: is of message 99, which isn't there"),
        ("UPDATE pin SET user = 99", "pin, number 1: is by a user, number 99,"),
        ("UPDATE log SET deleted_at = 9 WHERE position = 4", "pin, number 1: is of message 3, which isn't there"),
        ("UPDATE user SET name = 'u1'", "user, number 1: 7 users have the same name"),
        ("UPDATE conversation SET id = 'c1'", "conversation, number 1: 2 conversations have the same id"),
        ("UPDATE conversation SET request = -99 WHERE number = 1", "conversation, number 1: waits for a user,"),
        ("UPDATE conversation SET kind = 1 WHERE number = 1", "member, number 1: 1 users are in this direct"),
    ])
    func namesWhatIsDamaged(damage: String, wanted: String) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)])
        _ = try log.commit((1...12).map { message("m\($0)", key: "k\($0)") })
        _ = try log.commit([group(2), message(in: 2, key: "x"), about(.react, 2)])
        var pin = about(.conversation, 3)
        (pin.change, pin.body) = (.pin(pin.reference), Array("\"event\":\"pinned\",\"pin\":3".utf8))
        pin.reference = .none
        var reply = message("in a thread")
        reply.extras = Extras(thread: SequenceNumber(1))
        var hide = about(.conversation, 0)
        (hide.change, hide.body) = (.expiry(5_000), Array("\"event\":\"expiry\",\"after\":5000".utf8))
        _ = try log.commit([pin, reply, hide, message("disappears")])
        try log.writer.maintainAll()
        #expect(try findings(scratch.path()) == [])
        try log.writer.database.execute(damage)
        let found = try findings(scratch.path())
        #expect(found.contains { $0.hasPrefix(wanted) }, "\(found)")
        log.close()
    }

    /// A relay stores no such message, and an import takes none.
    @Test func threadsOfThreadsAndOfNothing() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1), message("root")])
        for (sequence, thread) in [(2, 1), (3, 2), (4, 9), (5, 1)] as [(Int64, Int64)] {
            var line = ExportedEvent(kind: .message, conversation: "c1", position: sequence, from: "u1", time: 9)
            (line.sequence, line.label, line.body) = (sequence, "text", Array("\"x\"".utf8))
            line.extras = Extras(thread: SequenceNumber(thread))?.json ?? []
            _ = try log.writer.adopt([ImportedEvent(line, conversation: 1, sender: 1)])
        }
        let found = try findings(scratch.path())
        #expect(
            found.filter { $0.hasPrefix("log, position 4, conversation c1: is in the thread of message 2,") }.count == 1
        )
        #expect(
            found.filter { $0.hasPrefix("log, position 5, conversation c1: is in the thread of message 9,") }.count == 1
        )
        #expect(found.count == 2, "\(found)")
        log.close()
    }

    /// The rows of an overwritten page are lost; the others are read.
    @Test func readsAroundADamagedPage() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)] + (1...200).map { message(String(repeating: "x", count: 300), key: "k\($0)") })
        try log.writer.maintainAll()
        _ = try log.checkpoint()
        log.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path()))
        let size = Database.pageBytes
        // A leaf of the log: the page with the key of message 100.
        let place = try #require(bytes.range(of: Data("k100text".utf8))).lowerBound / size * size
        bytes.replaceSubrange(place..<place + size, with: Data(repeating: 0xAA, count: size))
        try bytes.write(to: URL(fileURLWithPath: scratch.path()))
        let report = try StoreVerifier.run(scratch.path(), progress: noProgress)
        let found = report.findings.map(\.description)
        #expect(found.contains { $0.hasPrefix("database: SQLite finds its pages damaged") }, "\(found)")
        #expect(found.contains { $0.hasPrefix("log, positions ") && $0.contains("can't be read") }, "\(found)")
        #expect(found.contains { $0.contains("are missing; clients get a gap") }, "\(found)")
        #expect(report.rows > 150)
    }

    @Test func findingsAreBounded() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, StorageBounds())
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)] + (1...1_500).map { _ in message() })
        try log.writer.database.execute("UPDATE log SET time = time + 1")
        let report = try StoreVerifier.run(scratch.path(), progress: noProgress)
        #expect(report.findingCount == 1_501 && report.findings.count == VerifyReport.toldMax)
        log.close()
    }

    @Test func leavesTheStoreAndItsFolderAlone() throws {
        let scratch = try Scratch()
        try SQLiteLog.random(scratch.path(), seed: 1, batches: 20).close()
        let before = try Data(contentsOf: URL(fileURLWithPath: scratch.path()))
        _ = try StoreVerifier.run(scratch.path(), progress: noProgress)
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path())) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path).sorted() == [
                "roost.db", "roost.db.lock",
            ])
        #expect(throws: ToolFailure.noStore(path: scratch.path("none"))) {
            try StoreVerifier.run(scratch.path("none"), progress: noProgress)
        }
    }
}
