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

    /// The old form of an erased text stands in the write-ahead log only for a while, although the relay goes on.
    @Test(arguments: [Durability.full, .normal], [EventKind.delete, .edit])
    func anErasedTextLeavesTheWriteAheadLog(durability: Durability, kind: EventKind) throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        bounds.erasedMilliseconds = 0
        bounds.erasedRetryMilliseconds = 0
        let log = try SQLiteLog(scratch.path(), durability, bounds)
        defer { log.close() }
        _ = try log.commit([creation(), message("squirrel"), message("other")])
        #expect(try scratch.holds("squirrel"))
        let reader = try Database(path: scratch.path())
        try reader.execute("BEGIN; SELECT count(*) FROM log")
        _ = try log.commit([about(kind, 1)])
        // A reader of another program keeps it, and the log reports that.
        #expect(try log.writer.maintain() == false)
        #expect(try scratch.holds("squirrel"))
        #expect(log.statistics.notices[.foreignProgram] != nil)
        try reader.execute("COMMIT")
        reader.close()
        #expect(try log.writer.maintain() == false)
        #expect(try !scratch.holds("squirrel"))
        // A writer that is never idle does it, too.
        _ = try log.commit([message("squirrel")])
        _ = try log.commit([about(kind, 3)])
        _ = try log.commit([message("next")])
        #expect(try !scratch.holds("squirrel"))
        #expect(try scratch.holds("other"))
        #expect(try log.history(1).count == 4)
    }

    /// A disappeared message is in no file after a shorter while than a deleted one.
    @Test func disappearedMessagesLeaveTheWriteAheadLogSoon() throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        bounds.disappearedMilliseconds = 0
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        var hide = about(.conversation, 0)
        (hide.change, hide.body) = (.expiry(5_000), Array("\"event\":\"expiry\",\"after\":5000".utf8))
        var goes = message("squirrel")
        goes.extras = Extras(mentions: ["hedgehog"])
        _ = try log.commit([creation(), hide, goes])
        #expect(try scratch.holds("squirrel") && scratch.holds("hedgehog"))
        _ = try log.commit([about(.edit, 1)])
        _ = try log.writer.commit([.expire(upTo: Timestamp(milliseconds: 6_000))])
        #expect(try log.writer.maintain() == false)
        #expect(try !scratch.holds("squirrel") && !scratch.holds("hedgehog") && !scratch.holds("changed"))
    }

    /// Nothing that says something about its messages outlives a conversation.
    @Test func rowsOfAnErasedConversationGoWithIt() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        var mention = message("b")
        (mention.extras, mention.mentioned) = (Extras(mentions: ["@all"], thread: SequenceNumber(1)), [.none])
        mention.mentioned.append(UserNumber(2))
        var pin = about(.conversation, 0)
        (pin.change, pin.body) = (.pin(SequenceNumber(1)), Array("\"event\":\"pinned\",\"pin\":1".utf8))
        _ = try log.commit([creation(), message("a"), mention, pin, about(.react, 1)])
        let step = ReceiptStep(isRead: false, after: .none, to: SequenceNumber(1), at: Timestamp(milliseconds: 9))
        _ = try log.writer.commit([.steps(ConversationNumber(1), UserNumber(1), [step])])
        let tables = ["conversation", "member", "mention", "thread", "pin", "receipt", "reaction", "reaction_count"]
        for table in tables { #expect(try log.number("SELECT count(*) FROM \(table)") > 0, "\(table)") }
        _ = try log.commit([erasing(1)])
        try log.writer.maintainAll()
        for table in tables { #expect(try log.number("SELECT count(*) FROM \(table)") == 0, "\(table)") }
    }

    /// Nothing of a profile's former texts is left, whether it has changed or its user has left.
    @Test(arguments: [false, true]) func aFormerProfileIsOverwritten(isDeleted: Bool) throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        bounds.erasedMilliseconds = 0
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        var profile = StoredProfile(version: 1)
        (profile.name, profile.username, profile.bio) = ("Squirrel", "squirrel", "squirrels")
        _ = try log.writer.commit([.user(UserNumber(1), name: "ann"), .profile(UserNumber(1), profile)])
        #expect(try scratch.holds("quirrel"))
        var next = StoredProfile(version: 2)
        next.name = "Ann"
        _ = try log.writer.commit([.profile(UserNumber(1), isDeleted ? .tombstone(version: 2) : next)])
        try log.writer.maintainAll()
        #expect(try !scratch.holds("quirrel"))
        #expect(try log.load().profiles.map(\.profile.version) == [2])
    }

    /// After a kill it isn't known what was erased before.
    @Test func aStartAlsoEmptiesTheWriteAheadLog() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        _ = try log.commit([creation(), message("squirrel")])
        _ = try log.commit([about(.delete, 1)])
        let path = try scratch.crashCopy(as: "copy.db")
        log.close()
        #expect(try scratch.holds("squirrel"))
        var bounds = StorageBounds()
        bounds.erasedMilliseconds = 0
        let again = try SQLiteLog(path, .full, bounds)
        defer { again.close() }
        #expect(try again.writer.maintain() == false)
        #expect(try !scratch.holds("squirrel"))
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
        // That is all that stays of the rows with a key.
        #expect(try log.storedRows() == 102)
        #expect(try log.storedRows(of: 0) == 100)
        #expect(
            try log.writer.database.value(
                "SELECT count(*) FROM log WHERE conversation = 0 AND key IS NOT NULL AND device IS NULL "
                    + "AND label IS NULL AND body IS NULL AND kind = 5") == "100")
        #expect(try log.indexedKeys() == 101)
        #expect(try log.commit([message("again", in: 2, key: "k7")]) == [.refused(.gone)])
        #expect(position(try log.commit([message("again", in: 2, key: "n7")]).first) == 120)
        #expect(try log.indexedRows() == 2)
        #expect(try log.checkpoint())
        #expect(try !scratch.holds("squirrel"))
        #expect(try log.history(2).count == 2)
        log.close()
    }

    /// The keys of erased rows are found wherever they were when the rows went: in memory, read again after a start, in
    /// the index, or in an index that was made anew.
    @Test(arguments: [1, 1_000])
    func keysOutliveTheirRows(keysPerPart: Int) throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        bounds.keysPerPart = keysPerPart
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        _ = try log.writer.commit([.user(UserNumber(1), name: "alice")])
        _ = try log.commit([creation(1), creation(2)])
        _ = try log.commit((0..<50).map { message("squirrel\($0)", key: "k\($0)") })
        var leave = erasing(1)
        leave.key = "leave"
        leave.body = StoredEvent.leavingBody
        _ = try log.commit([leave])
        try log.writer.maintainAll()
        #expect(log.statistics.erasuresPending == 0)
        var again = leave
        again.conversation = .none
        again.change = nil
        again.purpose = .probe
        func check(_ log: SQLiteLog) throws {
            let outcomes = try log.commit((0..<50).map { message(in: 2, key: "k\($0)") })
            #expect(outcomes.allSatisfy { $0 == .refused(.gone) })
            #expect(try log.commit([again]) == [.duplicate(Position(53), SequenceNumber(50), .none, leave.time)])
        }
        try check(log)
        log.close()
        let second = try SQLiteLog(scratch.path(), .full, bounds)
        try check(second)
        second.close()
        try SQLiteLog.reindex(scratch.path(), .full, bounds, reporter: StorageReporter())
        let third = try SQLiteLog(scratch.path(), .full, bounds)
        try check(third)
        third.close()
        #expect(try StoreVerifier.run(scratch.path(), progress: { _ in }).findings.map(\.description) == [])
        #expect(try !scratch.holds("squirrel"))
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
        #expect(try log.storedRows() == 81)
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
        #expect(try again.storedRows() == 1)
        #expect(try again.commit([message("squirrel", in: 0, key: "k")]) == [.refused(.gone)])
        let outcomes = try again.commit([creation(), message("new", key: "n")])
        #expect(outcomes.map { position($0) } == [5, 6])
        #expect(try again.history(1).map(\.reactions.count) == [0])
    }
}
