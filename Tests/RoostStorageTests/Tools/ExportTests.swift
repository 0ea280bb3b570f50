import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// An import brings back what was exported, once, even at other positions.
@Suite struct ExportTests {
    private func export(_ scratch: Scratch, _ store: String, _ scope: StoreExporter.Scope = .all, to file: String)
        throws
        -> StoreExporter.Result
    {
        try StoreExporter.run(scratch.path(store), scope: scope, to: scratch.path(file), now: 5, progress: noProgress)
    }

    private func take(_ scratch: Scratch, _ file: String, into store: String) throws -> StoreImporter.Result {
        try StoreImporter.run(scratch.path(file), into: scratch.path(store), durability: .normal, progress: noProgress)
    }

    private func contents(_ scratch: Scratch, _ store: String) throws -> [String] {
        let log = try SQLiteLog(scratch.path(store), .normal, .tiny)
        defer { log.close() }
        return try log.contents()
    }

    private func change(_ change: ConversationChange) -> Append {
        var event = about(.conversation, 0)
        (event.change, event.body) = (change, Array("\"event\":\"x\"".utf8))
        return event
    }

    private func expectContents(
        _ scratch: Scratch, _ store: String, _ wanted: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try contents(scratch, store)
        let tooMuch = Set(found).subtracting(wanted).sorted()
        let missing = Set(wanted).subtracting(found).sorted()
        #expect(tooMuch == [], sourceLocation: sourceLocation)
        #expect(missing == [], sourceLocation: sourceLocation)
    }

    private func expectSound(_ scratch: Scratch, _ store: String, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let found = try StoreVerifier.run(scratch.path(store), progress: noProgress).findings
        #expect(found == [], sourceLocation: sourceLocation)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func comesBackAsItWas(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: seed)
        let wanted = try log.contents()
        let rows = try log.number("SELECT count(*) FROM log WHERE conversation IN (SELECT number FROM conversation)")
        let exported = try export(scratch, "one", to: "lines")
        log.close()
        #expect(exported.damaged == 0 && exported.withheld == 0)
        let first = try take(scratch, "lines", into: "two")
        #expect(first == StoreImporter.Result(lines: exported.lines, added: Int64(rows), known: 0))
        try expectContents(scratch, "two", wanted)
        let second = try take(scratch, "lines", into: "two")
        #expect(second == StoreImporter.Result(lines: exported.lines, added: 0, known: Int64(rows)))
        try expectContents(scratch, "two", wanted)
        try expectSound(scratch, "two")
    }

    /// Every conversation is exported alone, and imported into a store that has others.
    @Test func conversationsOneByOne() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: 7)
        let wanted = try log.contents().filter { $0.hasPrefix("c") }
        let ids = try log.load().conversations.map(\.id)
        for id in ids { _ = try export(scratch, "one", .conversation(id), to: "\(id).lines") }
        log.close()
        for id in ids.reversed() { _ = try take(scratch, "\(id).lines", into: "two") }
        #expect(try contents(scratch, "two").filter { $0.hasPrefix("c") } == wanted)
        try expectSound(scratch, "two")
    }

    /// One user's rows keep their sequences, and nothing that others wrote is in the file.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func oneUser(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: seed)
        let result = try export(scratch, "one", .user("u2"), to: "lines")
        log.close()
        #expect(result.withheld > 0)
        let text = try String(contentsOfFile: scratch.path("lines"), encoding: .utf8)
        #expect(!text.contains("\"from\":\"u1\""))
        _ = try take(scratch, "lines", into: "two")
        #expect(try take(scratch, "lines", into: "two").added == 0)
        try expectSound(scratch, "two")
        let before = try contents(scratch, "one").filter { $0.contains(" message ") && $0.contains(" u2 ") }
        let after = try contents(scratch, "two").filter { $0.contains(" message ") && $0.contains(" u2 ") }
        #expect(after.count > 5 && Set(after).isSubset(of: before))
    }

    /// A store that has only one user's part of another can be exported and imported like any.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func oneUserAgain(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: seed)
        let withheld = try export(scratch, "one", .user("u2"), to: "part").withheld
        log.close()
        _ = try take(scratch, "part", into: "two")
        let wanted = try contents(scratch, "two").filter { !$0.contains("@withheld") }
        let again = try export(scratch, "two", to: "all")
        #expect(again.withheld == withheld && again.damaged == 0)
        _ = try take(scratch, "all", into: "three")
        #expect(try contents(scratch, "three").filter { !$0.contains("@withheld") } == wanted)
        #expect(try take(scratch, "all", into: "two").added == 0)
        for store in ["two", "three"] { try expectSound(scratch, store) }
    }

    /// A later export of the same store continues an earlier one, with edits of messages that are there already.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func aLaterExportContinuesAnEarlierOne(seed: UInt64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog.random(scratch.path("one"), seed: seed, batches: 60)
        _ = try export(scratch, "one", to: "early")
        let conversations = try log.load().conversations
        for conversation in conversations where conversation.lastSequence.value > 0 {
            let number = conversation.number.value
            var deletion = about(.delete, 1, in: number)
            var reaction = about(.react, conversation.lastSequence.value, in: number, by: 5)
            (deletion.flag, deletion.body, reaction.body) = (true, [], [])
            _ = try log.commit([deletion, message("more", in: number, by: 2, key: "more\(number)"), reaction])
        }
        let wanted = try log.contents()
        _ = try export(scratch, "one", to: "late")
        log.close()
        _ = try take(scratch, "early", into: "two")
        #expect(try take(scratch, "late", into: "two").added > 0)
        try expectContents(scratch, "two", wanted)
        #expect(try take(scratch, "early", into: "two").added == 0)
        try expectContents(scratch, "two", wanted)
        try expectSound(scratch, "two")
    }

    /// What was erased since an earlier export by its time, so without an event, is erased where that was imported: it
    /// isn't pinned and in no thread any more.
    @Test func aLaterExportErasesWhatHasDisappearedSince() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        var reply = message("heron", key: "b")
        reply.extras = Extras(thread: SequenceNumber(1))
        _ = try log.commit([
            group(1), message("root", key: "a"), change(.expiry(5_000)), reply, change(.pin(SequenceNumber(2))),
        ])
        _ = try export(scratch, "one", to: "early")
        _ = try take(scratch, "early", into: "two")
        _ = try log.writer.commit([.expire(upTo: Timestamp(milliseconds: 9_000))])
        _ = try export(scratch, "one", to: "late")
        log.close()
        #expect(try take(scratch, "late", into: "two").added == 0)
        try expectSound(scratch, "two")
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
        _ = try export(scratch, "one", to: "early")
        _ = try log.commit([change(.expiry(5_000))])
        _ = try export(scratch, "one", to: "late")
        log.close()
        for (file, expiry) in [("early", 0), ("late", 5_000), ("early", 5_000)] as [(String, Int64)] {
            _ = try take(scratch, file, into: "two")
            let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
            #expect(try two.load().conversations[0].expiry == expiry)
            two.close()
        }
    }

    /// Whom an edit has mentioned since an earlier export hasn't read it.
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
        _ = try export(scratch, "one", to: "early")
        _ = try take(scratch, "early", into: "two")
        var edit = about(.edit, 1)
        (edit.extras, edit.mentioned) = (Extras(mentions: ["u2"]), [UserNumber(2)])
        _ = try log.commit([edit])
        _ = try export(scratch, "one", to: "late")
        log.close()
        _ = try take(scratch, "late", into: "two")
        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        defer { two.close() }
        let member = try two.load().members.first { $0.user == UserNumber(2) }
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
        _ = try export(scratch, "one", to: "lines")
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
        let result = try take(scratch, "lines", into: "three")
        #expect(result.known == Int64(rows) && result.added == Int64(3_502 - rows))
        try expectContents(scratch, "three", wanted)
        try expectSound(scratch, "three")
    }

    /// An import that was killed when it had continued the rows, and not yet the members, is finished by another one.
    @Test func anImportThatWasCutShortBeforeTheMembersGoesOn() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        func change(_ change: ConversationChange) -> Append {
            var event = about(.conversation, 0)
            (event.change, event.body) = (change, Array("\"event\":\"x\"".utf8))
            return event
        }
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([
            group(1), message("one", key: "a"), change(.add([NewMember(UserNumber(2), .admin)])),
            change(.pin(SequenceNumber(1))),
        ])
        let wanted = try log.contents()
        _ = try export(scratch, "one", to: "lines")
        log.close()
        _ = try take(scratch, "lines", into: "two")
        // As an earlier import has left it, with the rows of this one.
        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        try two.writer.database.execute("DELETE FROM member WHERE user = 2")
        try two.writer.database.execute("DELETE FROM pin")
        two.close()
        #expect(try contents(scratch, "two") != wanted)
        #expect(try take(scratch, "lines", into: "two").added == 0)
        try expectContents(scratch, "two", wanted)
        try expectSound(scratch, "two")
    }

    /// What will disappear does so where it was imported, and what has gone stays gone and isn't unread there.
    @Test func whatDisappearsDoesSoWhereItIsImported() throws {
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
        #expect(try log.load().conversations[0].expired.text == "1")
        _ = try export(scratch, "one", to: "lines")
        log.close()
        try expectSound(scratch, "one")
        #expect(try !String(contentsOfFile: scratch.path("lines"), encoding: .utf8).contains("heron"))
        _ = try take(scratch, "lines", into: "two")
        try expectSound(scratch, "two")

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
        #expect(after.conversations[0].expired.text == "1-2" && after.conversations[0].pins.isEmpty)
        #expect(try two.history(1).allSatisfy { $0.body.isEmpty })
        #expect(try two.history(1).map(\.deletedAt.milliseconds) == [6_000, 7_000])
        two.close()
        try expectSound(scratch, "two")
    }

    /// What has happened since an earlier export counts: how long messages stay, whom an edit mentions, and that a
    /// pinned message is gone, of which there is no event if its time has come.
    @Test func whatChangedSinceCountsWhereItIsImported() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        func change(_ change: ConversationChange) -> Append {
            var event = about(.conversation, 0)
            (event.change, event.body) = (change, Array("\"event\":\"x\"".utf8))
            return event
        }
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([
            group(1), change(.add([NewMember(UserNumber(2), .member)])), message("one", key: "a"),
            change(.expiry(5_000)), message("two", key: "b"), change(.pin(SequenceNumber(2))), change(.expiry(0)),
        ])
        _ = try export(scratch, "one", to: "early")
        _ = try log.writer.commit([.expire(upTo: Timestamp(milliseconds: 6_000))])
        _ = try export(scratch, "one", to: "disappeared")
        var edit = about(.edit, 1)
        (edit.extras, edit.mentioned) = (Extras(mentions: ["u2"]), [UserNumber(2)])
        _ = try log.commit([edit, change(.expiry(7_000))])
        _ = try export(scratch, "one", to: "late")
        log.close()
        func imported(_ file: String) throws -> Snapshot {
            _ = try take(scratch, file, into: "two")
            try expectSound(scratch, "two")
            let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
            defer { two.close() }
            return try two.load()
        }
        #expect(try imported("early").conversations[0].pins.map(\.sequence.value) == [2])
        #expect(try imported("disappeared").conversations[0].pins.isEmpty)
        for file in ["late", "early"] {
            let after = try imported(file)
            #expect(after.conversations[0].expiry == 7_000)
            #expect(after.members.map { $0.mentions.map(\.sequence.value) } == [[], [1]])
        }
    }

    /// A request waits where it is imported, and counts against the one who sent it. What was accepted never waits
    /// again.
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
        _ = try export(scratch, "one", to: "early")
        _ = try take(scratch, "early", into: "two")
        try expectSound(scratch, "two")
        func imported() throws -> Snapshot.Conversation? {
            let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
            defer { two.close() }
            return try two.load().conversations.first
        }
        let waiting = try imported()
        #expect(waiting?.request == StoredRequest(to: UserNumber(2), isDropped: true))
        #expect(waiting?.opener == UserNumber(1))
        _ = try log.commit([message("well", by: 2, key: "b")])
        log.close()
        _ = try export(scratch, "one", to: "late")
        for file in ["late", "early"] {
            _ = try take(scratch, file, into: "two")
            #expect(try imported()?.request == nil)
        }
        try expectSound(scratch, "two")
    }

    @Test func positionsMoveWithTheRows() {
        var map = PositionMap([0, 3, 5, 6, 9, 20])
        for (old, new) in [(3, 11), (4, 12), (6, 40), (5, 41), (8, 42)] as [(Int64, Int64)] { map.note(old, is: new) }
        #expect([0, 3, 5, 6, 9, 20, 7].map { map.position($0) } == [0, 11, 12, 40, 42, 42, 0])
    }

    /// A line stands for a damaged message, so that the others keep their sequences.
    @Test func damageIsLeftOut() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path("one"), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)] + (1...9).map { message("m\($0)", key: "k\($0)") })
        try log.writer.database.execute(
            "UPDATE log SET body = 'x' WHERE position = 4; DELETE FROM log WHERE position = 5")
        let result = try export(scratch, "one", to: "lines")
        log.close()
        #expect(result.damaged == 1 && result.withheld == 2)
        _ = try take(scratch, "lines", into: "two")
        let two = try SQLiteLog(scratch.path("two"), .normal, .tiny)
        defer { two.close() }
        let shown = try two.history(1)
        #expect(shown.map(\.sequence.value) == Array(1...9))
        #expect(shown.filter { $0.deletedAt != .never }.map(\.sequence.value) == [3, 4])
    }

    @Test(arguments: [
        ("\"body\":\"m5\"", "\"body\":\"other\"", "the store has this conversation with other content"),
        ("\"key\":\"k5\"", "\"key\":\"other\"", "the store has this conversation with other content"),
        ("\"sequence\":5", "\"sequence\":6", "sequence: 6 comes after 4"),
        ("\"lines\":", "\"lines\":1", "lines: "),
        ("\"type\":\"end\"", "\"type\":\"user\",\"user\":\"u1\"", "1 unknown members"),
    ])
    func whatDoesNotFitIsRefusedBeforeAnythingIsWritten(old: String, new: String, reason: String) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)] + (1...9).map { message("m\($0)", key: "k\($0)") })
        _ = try export(scratch, "roost.db", to: "lines")
        log.close()
        let before = try contents(scratch, "roost.db")
        let text = try String(contentsOfFile: scratch.path("lines"), encoding: .utf8)
        let changed = text.replacingOccurrences(of: old, with: new)
        #expect(changed != text)
        try changed.write(toFile: scratch.path("lines"), atomically: true, encoding: .utf8)
        let failure = #expect(throws: ToolFailure.self) { try take(scratch, "lines", into: "roost.db") }
        guard case .line(_, let number, let found) = failure else {
            Issue.record("refused otherwise: \(String(describing: failure))")
            return
        }
        let pairs = zip(text.split(separator: "\n"), changed.split(separator: "\n"))
        let line = pairs.prefix { $0 == $1 }.count + 1
        #expect(found.hasPrefix(reason) && number == Int64(line), "\(number): \(found)")
        #expect(try contents(scratch, "roost.db") == before)
    }

    /// A thread begins with a message that is in none, whether it stands or was deleted.
    @Test(arguments: [false, true])
    func threadsOfThreadsAreRefused(isDeleted: Bool) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
        _ = try log.writer.commit(RandomContent.directory)
        var replies = [message("reply"), message("other")]
        for index in replies.indices { replies[index].extras = Extras(thread: SequenceNumber(1)) }
        _ = try log.commit([group(1), message("root")] + replies)
        if isDeleted { _ = try log.commit([about(.delete, 2)]) }
        _ = try export(scratch, "roost.db", to: "lines")
        log.close()
        #expect(try take(scratch, "lines", into: "good").known == 0)
        var lines = try String(contentsOfFile: scratch.path("lines"), encoding: .utf8).split(separator: "\n")
        let place = try #require(lines.firstIndex { $0.contains("\"sequence\":3") })
        lines[place] = Substring(lines[place].replacingOccurrences(of: "{\"thread\":1}", with: "{\"thread\":2}"))
        try lines.joined(separator: "\n").appending("\n")
            .write(toFile: scratch.path("lines"), atomically: true, encoding: .utf8)
        let failure = #expect(throws: ToolFailure.self) { try take(scratch, "lines", into: "bad") }
        guard case .line(_, let number, let reason) = failure else {
            Issue.record("refused otherwise: \(String(describing: failure))")
            return
        }
        #expect(number == Int64(place) + 1 && reason.contains("itself in a thread"))
    }

    /// A sender's key is used once for ever, and two users have one direct conversation.
    @Test func whatMayExistOnlyOnceIsRefused() throws {
        let scratch = try Scratch()
        for (store, number) in [("one", 1), ("two", 2)] as [(String, Int32)] {
            let log = try SQLiteLog(scratch.path(store), .normal, .tiny)
            _ = try log.writer.commit(RandomContent.directory)
            var direct = group(number + 10)
            direct.change = .create(
                id: "d\(number)", kind: .direct, name: "",
                members: [NewMember(UserNumber(1), .member), NewMember(UserNumber(2), .member)])
            _ = try log.commit([group(number), message("x", in: number, key: "same"), direct])
            log.close()
        }
        _ = try export(scratch, "two", .conversation("c2"), to: "group")
        _ = try export(scratch, "two", .conversation("d2"), to: "direct")
        let before = try contents(scratch, "one")
        for (file, line, reason) in [
            ("group", 7, "key: its sender used it before"),
            ("direct", 6, "its two users have a direct conversation already, d1"),
        ] as [(String, Int64, String)] {
            #expect(throws: ToolFailure.line(path: scratch.path(file), number: line, reason: reason)) {
                try take(scratch, file, into: "one")
            }
        }
        // The group stays in the directory, without members and rows.
        #expect(try contents(scratch, "one").filter { !$0.hasPrefix("c2 ") } == before)
    }
}

extension String {
    fileprivate func write(toFile path: String, atomically: Bool, encoding: Encoding) throws {
        try write(to: URL(fileURLWithPath: path), atomically: atomically, encoding: encoding)
    }
}
