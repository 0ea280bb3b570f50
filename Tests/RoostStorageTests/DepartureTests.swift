import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// A user who leaves for good leaves neither names of devices nor keys that can be read, and its retries are still
/// known.
@Suite struct DepartureTests {
    private static let directory: [Mutation] = [
        .user(UserNumber(1), name: "ann"), .user(UserNumber(2), name: "bob"),
        .revoke(UserNumber(1), device: "hedgehog", Timestamp(milliseconds: 5)),
        .revoke(UserNumber(1), device: "tablet", Timestamp(milliseconds: 7)),
        .revoke(UserNumber(2), device: "phone", Timestamp(milliseconds: 7)),
    ]

    private func message(_ key: String, by user: Int32, in conversation: Int32 = 1) -> Append {
        var event = RoostStorageTests.message("text", in: conversation, by: user, key: key)
        event.device = user == 1 ? "hedgehog" : "phone"
        return event
    }

    private func creation(_ conversation: Int32) -> Append {
        var event = RoostStorageTests.creation(conversation)
        (event.device, event.key, event.sender) = ("phone", "c\(conversation)", UserNumber(2))
        return event
    }

    /// 30 messages of each, one edited, one deleted; a second conversation is erased.
    private func fill(_ log: SQLiteLog) throws {
        _ = try log.writer.commit(DepartureTests.directory)
        _ = try log.commit([creation(1), creation(2)])
        for index in 0..<30 {
            _ = try log.commit([message("squirrel\(index)", by: 1), message("b\(index)", by: 2)])
        }
        var edit = about(.edit, 1)
        edit.device = "hedgehog"
        _ = try log.commit([edit, message("squirrel-gone", by: 1, in: 2)])
        var delete = about(.delete, 3)
        delete.device = "hedgehog"
        var erase = creation(2)
        (erase.change, erase.key) = (.erase, "erase")
        _ = try log.commit([delete, erase])
    }

    private func check(_ log: SQLiteLog, _ scratch: Scratch) throws {
        log.writer.checkpoints.erasedTexts.hasten()
        try log.writer.maintainAll()
        #expect(try !scratch.holds("hedgehog") && !scratch.holds("squirrel-gone") && !scratch.holds("squirrel-late"))
        #expect(try log.number("SELECT count(*) FROM log WHERE sender = 1 AND key NOT LIKE ' %'") == 0)
        #expect(try log.number("SELECT count(*) FROM log WHERE sender = 1 AND device IS NOT NULL") == 0)
        #expect(
            try log.number("SELECT count(*) FROM log WHERE sender = 2 AND key LIKE 'b%' AND device = 'phone'") == 30)
        #expect(try log.number("SELECT count(*) FROM revocation WHERE user = 1 AND device = '' AND time = 7") == 1)
        #expect(try log.number("SELECT count(*) FROM revocation") == 2)
        // Events have no key that says something of it.
        #expect(try log.history(1).filter { $0.sender == UserNumber(1) }.allSatisfy { $0.key.isEmpty })
        // All retries are known, and nothing else.
        for index in 0..<30 {
            let outcome = try log.commit([message("squirrel\(index)", by: 1)]).first
            #expect(outcome.map { if case .duplicate = $0 { true } else { false } } == true, "\(index)")
        }
        #expect(try log.commit([message("squirrel-gone", by: 1)]) == [.refused(.gone)])
        #expect(try log.commit([message("squirrel\(log.writer.head)", by: 2)]).first.flatMap { position($0) } != nil)
    }

    @Test(arguments: [1, 1_000], [false, true])
    func rowsOfWhoLeavesHaveNeitherDeviceNorKey(keysPerPart: Int, isBusy: Bool) throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        bounds.keysPerPart = keysPerPart
        (bounds.departedRowsPerCommit, bounds.departedRowsWhenIdle, bounds.departedRowsChanged) = (8, 16, 5)
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        try fill(log)
        if !isBusy { try log.writer.maintainAll() }
        _ = try log.writer.commit([.profile(UserNumber(1), .tombstone(version: 2))])
        // One that comes later, as an operator may have it done.
        _ = try log.commit([message("squirrel-late", by: 1)])
        if isBusy { for _ in 0..<40 { _ = try log.writer.commit([.alive(Timestamp(milliseconds: 1))]) } }
        try log.writer.maintainAll()
        #expect(log.writer.directory.departures.isEmpty)
        #expect(try log.number("SELECT deleted FROM profile") == 2)
        try check(log, scratch)
        #expect(try log.load().profiles.map(\.profile.isDeleted) == [true])
        log.close()
        try SQLiteLog.reindex(scratch.path(), .full, bounds, reporter: StorageReporter())
        let again = try SQLiteLog(scratch.path(), .full, bounds)
        #expect(again.writer.directory.departures.isEmpty)
        try check(again, scratch)
        again.close()
        #expect(try StoreVerifier.run(scratch.path(), progress: { _ in }).findings.map(\.description) == [])
    }

    /// A kill in the middle only means that it begins anew.
    @Test func aKillDelaysIt() throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        (bounds.departedRowsPerCommit, bounds.departedRowsWhenIdle) = (8, 16)
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        try fill(log)
        _ = try log.writer.commit([.profile(UserNumber(1), .tombstone(version: 2))])
        for _ in 0..<3 { _ = try log.writer.maintain() }
        let other = try Scratch()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: scratch.path() + suffix, toPath: other.path() + suffix)
        }
        log.close()
        let again = try SQLiteLog(other.path(), .full, bounds)
        defer { again.close() }
        #expect(!again.writer.directory.departures.isEmpty)
        try again.writer.maintainAll()
        #expect(again.writer.directory.departures.isEmpty)
        try check(again, other)
    }

    /// A user who comes back while the rows are looked for keeps what is written from then on.
    @Test func aReturningUserHasKeysAgain() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        try fill(log)
        _ = try log.writer.commit([.profile(UserNumber(1), .tombstone(version: 2))])
        try log.writer.maintainAll()
        _ = try log.writer.commit([.profile(UserNumber(1), StoredProfile(version: 3))])
        _ = try log.commit([message("acorn", by: 1)])
        try log.writer.maintainAll()
        #expect(try log.number("SELECT count(*) FROM log WHERE key = 'acorn' AND device = 'hedgehog'") == 1)
        #expect(try log.load().profiles.map(\.profile.isDeleted) == [false])
    }

    @Test func anErasedKeyIsItsHash() {
        for hash in [0, 1, 0xFEDC_BA98_7654_3210, UInt64.max] as [UInt64] {
            let text = ErasedKey.text(hash)
            #expect(ErasedKey.isErased(text) && text.utf8.count == 17)
            #expect(Array(text.utf8).withUnsafeBytes { ErasedKey.hash(of: $0) } == hash)
        }
        for key in ["", " ", "k-1", "0123456789abcdef0", " 0123456789abcdeg", " 0123456789abcdef0"] {
            #expect(Array(key.utf8).withUnsafeBytes { ErasedKey.hash(of: $0) } == nil, "\(key)")
        }
    }
}
