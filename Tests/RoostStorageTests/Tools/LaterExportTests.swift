import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// The effects of a later export of the same store where an earlier one was imported, and the rest of an import that
/// was cut short.
@Suite struct LaterExportTests {
    /// A later export of the same store continues an earlier one, with edits of messages that are there already.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func aLaterExportContinuesAnEarlierOne(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: seed, batches: 60)
        _ = try scratch.export("one", to: "early")
        let conversations = try log.load().conversations
        for conversation in conversations where conversation.lastSequence.value > 0 {
            let number = conversation.number.value
            var deletion = about(.delete, 1, in: number)
            var reaction = about(.react, conversation.lastSequence.value, in: number, by: 5)
            (deletion.flag, deletion.body, reaction.body) = (true, [], [])
            _ = try log.commit([deletion, message("more", in: number, by: 2, key: "more\(number)"), reaction])
        }
        let wanted = try log.contents()
        _ = try scratch.export("one", to: "late")
        log.close()
        _ = try scratch.take("early", into: "two")
        #expect(try scratch.take("late", into: "two").added > 0)
        try scratch.expectContents("two", wanted)
        #expect(try scratch.take("early", into: "two").added == 0)
        try scratch.expectContents("two", wanted)
        try scratch.expectSound("two")
    }

    /// A message that has disappeared since an earlier export, so without an event, is erased where that was imported:
    /// it isn't pinned and in no thread any more.
    @Test func aLaterExportErasesWhatHasDisappearedSince() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        var reply = message("heron", key: "b")
        reply.extras = Extras(thread: SequenceNumber(1))
        _ = try log.commit([
            group(1), message("root", key: "a"), change(.expiry(5_000)), reply, change(.pin(SequenceNumber(2))),
        ])
        _ = try scratch.export("one", to: "early")
        _ = try scratch.take("early", into: "two")
        _ = try log.writer.commit([.expire(upTo: Timestamp(milliseconds: 9_000))])
        _ = try scratch.export("one", to: "late")
        log.close()
        #expect(try scratch.take("late", into: "two").added == 0)
        try scratch.expectSound("two")
        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        defer { two.close() }
        #expect(try two.load().conversations[0].pins.isEmpty)
        #expect(try two.history(1).map(\.body.isEmpty) == [false, true])
        #expect(try two.history(1).first?.replies == nil)
    }

    /// A later export says how long messages stay by then, and an earlier one takes nothing back.
    @Test func aLaterExportTellsHowLongMessagesStay() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1), message("heron", key: "a")])
        _ = try scratch.export("one", to: "early")
        _ = try log.commit([change(.expiry(5_000))])
        _ = try scratch.export("one", to: "late")
        log.close()
        for (file, expiry) in [("early", 0), ("late", 5_000), ("early", 5_000)] as [(String, Int64)] {
            #expect(try scratch.imported(file, into: "two").conversations[0].expiry == expiry)
        }
    }

    /// A user mentioned by an edit since an earlier export hasn't read it.
    @Test func aLaterExportBringsMentionsOfEdits() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        var opening = group(1)
        opening.change = .create(
            id: "c1", kind: .group, name: "g", members: [1, 2].map { NewMember(UserNumber($0), .member) })
        var told = message("stork", key: "b")
        (told.extras, told.mentioned) = (Extras(mentions: ["u2"]), [UserNumber(2)])
        _ = try log.commit([opening, message("heron", key: "a"), told])
        _ = try scratch.export("one", to: "early")
        _ = try scratch.take("early", into: "two")
        var edit = about(.edit, 1)
        (edit.extras, edit.mentioned) = (Extras(mentions: ["u2"]), [UserNumber(2)])
        _ = try log.commit([edit])
        _ = try scratch.export("one", to: "late")
        log.close()
        let member = try scratch.imported("late", into: "two").members.first { $0.user == UserNumber(2) }
        #expect(member?.mentions.map(\.sequence.value) == [1, 2])
    }

    /// An import that was killed in the middle continues where it ended.
    @Test func anImportThatWasCutShortGoesOn() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, StorageBounds())
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1), group(2)])
        for part in 0..<5 {
            _ = try log.commit((0..<700).map { message("\($0)", in: Int32($0 % 2) + 1, key: "k\(part)-\($0)") })
        }
        let wanted = try log.contents()
        _ = try scratch.export("one", to: "lines")
        log.close()
        let (path, copy) = (scratch.path("two"), scratch.path("three"))
        _ = try StoreImporter.run(scratch.path("lines"), into: path, durability: .normal) { progress in
            // Some batches have been written, and the last one has not.
            guard progress.step == "importing", progress.done > progress.total / 2,
                !FileManager.default.fileExists(atPath: copy)
            else { return }
            for suffix in ["", "-wal"] {
                try? FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
        }
        let half = try SQLiteLog(copy, .normal, .tiny)
        let rows = try half.storedRows()
        half.close()
        #expect(rows > 0 && rows < 3_500)
        let result = try scratch.take("lines", into: "three")
        #expect(result.known == Int64(rows) && result.added == Int64(3_502 - rows))
        try scratch.expectContents("three", wanted)
        try scratch.expectSound("three")
    }

    /// An import that was killed when it had continued the rows, and not yet the members, is finished by another one.
    @Test func anImportThatWasCutShortBeforeTheMembersGoesOn() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([
            group(1), message("one", key: "a"), change(.add([NewMember(UserNumber(2), .admin)])),
            change(.pin(SequenceNumber(1))),
        ])
        let wanted = try log.contents()
        _ = try scratch.export("one", to: "lines")
        log.close()
        _ = try scratch.take("lines", into: "two")
        // As an earlier import has left it, with the rows of this one.
        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        try two.writer.database.execute("DELETE FROM member WHERE user = 2")
        try two.writer.database.execute("DELETE FROM pin")
        two.close()
        #expect(try scratch.contents("two") != wanted)
        #expect(try scratch.take("lines", into: "two").added == 0)
        try scratch.expectContents("two", wanted)
        try scratch.expectSound("two")
    }

    /// A message that will disappear does so where it was imported, and one that has gone stays gone and isn't unread
    /// there.
    @Test func messagesDisappearWhereTheyAreImported() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        func at(_ time: Int64, _ event: Append) -> Append {
            var event = event
            event.time = Timestamp(milliseconds: time)
            return event
        }
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([
            group(1), change(.expiry(5_000)), at(1_000, message("heron", key: "a")),
            at(2_000, message("stork", key: "b")), at(3_000, about(.edit, 2)), change(.pin(SequenceNumber(2))),
        ])
        _ = try log.writer.commit([.expire(upTo: Timestamp(milliseconds: 6_000))])
        #expect(try log.load().conversations[0].gone.text == "1")
        _ = try scratch.export("one", to: "lines")
        log.close()
        try scratch.expectSound("one")
        #expect(try !String(contentsOfFile: scratch.path("lines"), encoding: .utf8).contains("heron"))
        _ = try scratch.take("lines", into: "two")
        try scratch.expectSound("two")

        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        let before = try two.load()
        #expect(before.nextExpiry == Timestamp(milliseconds: 6_000))
        #expect(before.conversations[0].expiry == 5_000)
        #expect(before.conversations[0].pins.map(\.sequence.value) == [2])
        let gone = try two.writer.commit([.expire(upTo: Timestamp(milliseconds: 7_000))])
        guard case .expired(let messages, let next) = gone.first else {
            Issue.record("an answer of another kind: \(gone)")
            return
        }
        #expect(messages.map(\.sequence.value) == [1, 2] && next == .never)
        let after = try two.load()
        #expect(after.conversations[0].gone.text == "1-2" && after.conversations[0].pins.isEmpty)
        #expect(try two.history(1).allSatisfy { $0.body.isEmpty })
        #expect(try two.history(1).map(\.deletedAt.milliseconds) == [6_000, 7_000])
        two.close()
        try scratch.expectSound("two")
    }

    /// Changes since an earlier export count: the expiry, an edit's mentions, and the end of a pinned message, of which
    /// there is no event if its time has come.
    @Test func laterChangesCountWhereTheyAreImported() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([
            group(1), change(.add([NewMember(UserNumber(2), .member)])), message("one", key: "a"),
            change(.expiry(5_000)), message("two", key: "b"), change(.pin(SequenceNumber(2))), change(.expiry(0)),
        ])
        _ = try scratch.export("one", to: "early")
        _ = try log.writer.commit([.expire(upTo: Timestamp(milliseconds: 6_000))])
        _ = try scratch.export("one", to: "disappeared")
        var edit = about(.edit, 1)
        (edit.extras, edit.mentioned) = (Extras(mentions: ["u2"]), [UserNumber(2)])
        _ = try log.commit([edit, change(.expiry(7_000))])
        _ = try scratch.export("one", to: "late")
        log.close()
        #expect(try scratch.imported("early", into: "two").conversations[0].pins.map(\.sequence.value) == [2])
        #expect(try scratch.imported("disappeared", into: "two").conversations[0].pins.isEmpty)
        for file in ["late", "early"] {
            let after = try scratch.imported(file, into: "two")
            #expect(after.conversations[0].expiry == 7_000)
            #expect(after.members.map { $0.mentions.map(\.sequence.value) } == [[], [1]])
        }
    }

    /// A file of one user doesn't say what is pinned otherwise.
    @Test func aFileOfOneUserTakesNoPinAway() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([
            group(1), message("one", key: "a"), message("two", key: "b"), change(.pin(SequenceNumber(1))),
        ])
        _ = try scratch.export("one", .user("u1"), to: "lines")
        log.close()
        _ = try scratch.take("lines", into: "two")
        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        _ = try two.commit([change(.pin(SequenceNumber(2)))])
        two.close()
        let pins = try scratch.imported("lines", into: "two").conversations[0].pins
        #expect(pins.map(\.sequence.value) == [1, 2])
    }

    /// A request waits where it is imported, and counts against its sender. An accepted one never waits again.
    @Test func aRequestWaitsWhereItIsImported() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        var opening = creation(1)
        opening.body = Array("\"event\":\"created\",\"request\":true".utf8)
        opening.flag = true
        opening.change = .create(
            id: "d", kind: .direct, name: "", members: [1, 2].map { NewMember(UserNumber($0), .member) })
        _ = try log.commit([opening, message("hello", key: "a")])
        _ = try log.writer.commit([.dropRequest(ConversationNumber(1))])
        _ = try scratch.export("one", to: "early")
        let waiting = try scratch.imported("early", into: "two").conversations.first
        #expect(waiting?.request == StoredRequest(to: UserNumber(2), isDropped: true))
        #expect(waiting?.opener == UserNumber(1))
        _ = try log.commit([message("well", by: 2, key: "b")])
        log.close()
        _ = try scratch.export("one", to: "late")
        for file in ["late", "early"] {
            let conversation = try #require(try scratch.imported(file, into: "two").conversations.first)
            #expect(conversation.request == nil)
        }
    }
}
