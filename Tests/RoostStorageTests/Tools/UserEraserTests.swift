import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Erasing a user leaves nothing of what the user wrote, everything of what others wrote, and a sound store.
@Suite struct UserEraserTests {
    private func erase(_ name: String, from scratch: Scratch) throws -> UserEraser.Result {
        try UserEraser.run(scratch.path(), user: name, durability: .full, now: 1_800_000_000_000) { _ in }
    }

    private func lines(_ scratch: Scratch, _ query: String) throws -> [String] {
        let database = try StoreFile.openForReading(scratch.path())
        defer { database.close() }
        let rows = try database.prepare(query)
        var found: [String] = []
        while try rows.step() { found.append(rows.text(0)) }
        return found
    }

    /// Content of others in conversations that are still there.
    private static let ofOthers = """
        SELECT printf('%d %d %d %s %s %s', position, log.sequence, log.kind, key, label, body)
        FROM log JOIN conversation ON conversation.number = log.conversation
        WHERE sender <> 2 AND conversation.number IN (
            SELECT conversation FROM member WHERE role IS NOT NULL AND user <> 2)
        ORDER BY position
        """

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func nothingOfTheUserIsLeft(seed: UInt64) throws {
        let scratch = try Scratch()
        try SQLiteLog.random(scratch.path(), seed: seed, batches: 300).close()
        let before = try lines(scratch, Self.ofOthers)
        let result = try erase("u2", from: scratch)
        #expect(result.messages > 20 && result.conversations > 3 && result.devices == 1 && result.damaged == 0)
        let found = try StoreVerifier.run(scratch.path()) { _ in }
        #expect(found.findings.map(\.description) == [])
        for query in [
            "SELECT key FROM log WHERE sender = 2 AND kind = 1 AND body IS NOT NULL",
            "SELECT key FROM log WHERE sender = 2 AND device IS NOT NULL",
            "SELECT reaction FROM reaction WHERE user = 2",
            "SELECT conversation FROM member WHERE user = 2 AND role IS NOT NULL",
            "SELECT conversation FROM member WHERE user = 2 AND (delivered_at > 0 OR read_at > 0)",
            "SELECT name FROM device WHERE user = 2",
            "SELECT status FROM user WHERE number = 2 AND (status <> '' OR last_seen > 0 OR shown_to > 0)",
            "SELECT other FROM exception WHERE user = 2",
            "SELECT name FROM profile WHERE user = 2 AND (name <> '' OR NOT deleted)",
            "SELECT low FROM contact WHERE low = 2 OR high = 2",
            "SELECT id FROM prospect WHERE user = 2",
            "SELECT id FROM invite WHERE user = 2",
            "SELECT text FROM report WHERE reporter = 2",
        ] {
            #expect(try lines(scratch, query) == [], "\(query)")
        }
        #expect(try lines(scratch, "SELECT device FROM revocation WHERE user = 2") == [""])
        #expect(try lines(scratch, Self.ofOthers) == before)
        // Once more finds nothing to do.
        #expect(try erase("u2", from: scratch) == UserEraser.Result())
    }

    @Test func othersKeepWhatTheyWroteAndHearOfIt() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        _ = try log.writer.commit(RandomContent.directory)
        var group = message()
        group.kind = .conversation
        group.change = .create(
            id: "c1", kind: .group, name: "g",
            members: [
                NewMember(UserNumber(1), .member), NewMember(UserNumber(2), .owner), NewMember(UserNumber(3), .admin),
            ])
        _ = try log.commit([
            group, message("acorn", by: 1, key: "a"), message("squirrel", by: 2, key: "b"),
            about(.react, 1, by: 2), about(.react, 2, by: 2), about(.react, 2, by: 1),
        ])
        let step = ReceiptStep(isRead: true, after: .none, to: SequenceNumber(1), at: Timestamp(milliseconds: 9))
        _ = try log.writer.commit([1, 2].map { .steps(ConversationNumber(1), UserNumber($0), [step]) })
        log.close()
        #expect(
            try erase("u2", from: scratch)
                == UserEraser.Result(messages: 1, reactions: 2, conversations: 1, devices: 1))
        #expect(try !scratch.holds("squirrel"))
        #expect(try lines(scratch, "SELECT user FROM receipt") == ["1"])
        let again = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { again.close() }
        let events = try again.page(1)
        #expect(events.map(\.kind).suffix(4) == [.delete, .react, .react, .conversation])
        #expect(String(decoding: events.last?.body ?? [], as: UTF8.self) == #""event":"left","owner":"u3""#)
        #expect(try again.history(1).map { String(decoding: $0.body, as: UTF8.self) } == ["\"acorn\"", ""])
        let snapshot = try again.load()
        #expect(snapshot.members.filter { $0.role == .owner }.map(\.user) == [UserNumber(3)])
        #expect(snapshot.revocations.map(\.user) == [UserNumber(2)])
        #expect(snapshot.users.contains { $0.name == "u2" })
        // Others' reactions stay.
        #expect(try again.writer.database.value("SELECT sum(count) FROM reaction_count") == "1")
        // A retry of what is erased isn't stored again.
        let retry = try again.commit([message("squirrel", by: 2, key: "b")])
        #expect(retry.first.map { if case .duplicate = $0 { true } else { false } } == true)
    }

    /// A user with a block on the erased one doesn't learn of its acts, and the conversation ends where it ended.
    @Test(arguments: [true, false]) func aBlockerHearsNothingOfIt(isBlockedStill: Bool) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        _ = try log.writer.commit(RandomContent.directory)
        var direct = message()
        direct.kind = .conversation
        direct.change = .create(
            id: "c1", kind: .direct, name: "",
            members: [NewMember(UserNumber(1), .member), NewMember(UserNumber(2), .member)])
        var withheld = [message("squirrel", by: 2, key: "b"), about(.react, 1, by: 2)]
        for index in withheld.indices { withheld[index].withheldFrom = UserNumber(1) }
        _ = try log.commit([direct, message("acorn", by: 1, key: "a")] + withheld)
        let veil = try log.load().conversations[0].veil
        _ = try log.writer.commit([.exception(UserNumber(1), of: UserNumber(2), isBlockedStill ? .blocked : nil)])
        log.close()
        #expect(try erase("u2", from: scratch).reactions == 1)
        let again = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { again.close() }
        let told = try again.page(1).filter { $0.sender == UserNumber(2) && !$0.isWithheld(from: UserNumber(1)) }
        #expect(told.map(\.kind) == (isBlockedStill ? [] : [.conversation]))
        #expect(try again.load().conversations[0].veil == (isBlockedStill ? veil : nil))
    }

    /// The last member goes with the conversation.
    @Test func aConversationWithoutOthersGoesAsAWhole() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([creation(), message("squirrel", by: 1, key: "a")])
        log.close()
        #expect(try erase("u1", from: scratch).conversations == 1)
        #expect(try lines(scratch, "SELECT id FROM conversation") == [])
        #expect(try lines(scratch, "SELECT position FROM log WHERE body IS NOT NULL AND kind = 1") == [])
        #expect(try !scratch.holds("squirrel"))
    }

    /// After its time a message can't be deleted any more, although a relay that was down hasn't erased it yet.
    @Test func overdueMessagesAreErased() throws {
        let scratch = try Scratch()
        let log = try storeWithASquirrel(scratch)
        var hide = message(by: 1)
        (hide.kind, hide.label, hide.change) = (.conversation, "", .expiry(5_000))
        hide.body = Array("\"event\":\"expiry\",\"after\":5000".utf8)
        _ = try log.commit([hide, message("hedgehog", by: 2, key: "c")])
        log.close()
        let result = try erase("u2", from: scratch)
        #expect(result.messages == 1 && result.damaged == 0)
        #expect(try !scratch.holds("squirrel") && !scratch.holds("hedgehog"))
        #expect(try StoreVerifier.run(scratch.path()) { _ in }.findings.map(\.description) == [])
    }

    @Test func anUnknownUserIsAMistake() throws {
        let scratch = try Scratch()
        try SQLiteLog(path: scratch.path(), durability: .full).close()
        #expect(throws: ToolFailure.unknown(what: "user", name: "nobody")) { try erase("nobody", from: scratch) }
    }

    /// A store in which u2 has said "squirrel", in a conversation with others.
    private func storeWithASquirrel(_ scratch: Scratch) throws -> SQLiteLog {
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        _ = try log.writer.commit(RandomContent.directory)
        var group = message()
        group.kind = .conversation
        group.label = ""
        group.body = Array("\"event\":\"created\",\"kind\":\"group\"".utf8)
        group.change = .create(
            id: "c1", kind: .group, name: "g",
            members: [NewMember(UserNumber(1), .owner), NewMember(UserNumber(2), .member)])
        _ = try log.commit([group, message("acorn", by: 1, key: "a"), message("squirrel", by: 2, key: "b")])
        return log
    }

    /// Another program that reads keeps the texts in the write-ahead log: the operator gets a message, and tries again.
    @Test func aReaderBesideItHoldsTheTextsBack() throws {
        let scratch = try Scratch()
        try storeWithASquirrel(scratch).close()
        let reader = try Database(path: scratch.path())
        try reader.execute("BEGIN")
        _ = try reader.value("SELECT count(*) FROM log")
        #expect(throws: ToolFailure.heldBack(path: scratch.path())) { try erase("u2", from: scratch) }
        try reader.execute("COMMIT")
        reader.close()
        #expect(try erase("u2", from: scratch) == UserEraser.Result())
        #expect(try !scratch.holds("squirrel"))
    }

    /// It can't be known whose they are, and what they say.
    @Test(arguments: ["UPDATE log SET sender = 1 WHERE position = 3", "UPDATE log SET time = 7 WHERE position = 2"])
    func damagedRowsAreCounted(damage: String) throws {
        let scratch = try Scratch()
        let log = try storeWithASquirrel(scratch)
        try log.writer.database.execute(damage)
        log.close()
        #expect(try erase("u2", from: scratch).damaged == 1)
    }

    /// The relay was stopped before it had removed the rows of an erased conversation.
    @Test func anErasedConversationThatIsStillThereIsNoDamage() throws {
        let scratch = try Scratch()
        let log = try storeWithASquirrel(scratch)
        var erase = message(by: 1)
        erase.kind = .conversation
        erase.change = .erase
        _ = try log.commit([erase])
        #expect(log.statistics.erasuresPending == 1)
        log.close()
        #expect(try self.erase("u2", from: scratch).damaged == 0)
        #expect(try !scratch.holds("squirrel"))
    }

    /// An export that was made before finds the rows that it has, and brings no text back.
    @Test func anOlderExportBringsNoTextBack() throws {
        let scratch = try Scratch()
        try storeWithASquirrel(scratch).close()
        let exported = try StoreExporter.run(
            scratch.path(), scope: .all, to: scratch.path("lines"), now: 5, progress: noProgress)
        _ = try erase("u2", from: scratch)
        let result = try StoreImporter.run(
            scratch.path("lines"), into: scratch.path(), durability: .full, progress: noProgress)
        #expect(result == StoreImporter.Result(lines: exported.lines, added: 0, known: 3))
        #expect(try lines(scratch, "SELECT body FROM log WHERE kind = 1 AND body IS NOT NULL") == ["\"acorn\""])
        #expect(try lines(scratch, "SELECT user FROM member WHERE role IS NOT NULL") == ["1"])
        #expect(try StoreVerifier.run(scratch.path()) { _ in }.findings.map(\.description) == [])
    }
}
