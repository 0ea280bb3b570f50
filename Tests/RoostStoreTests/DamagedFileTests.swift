import Foundation
import RoostWire
import SeededRandom
import Testing

@testable import RoostStore

/// Some bytes of the device's file are wrong: the app starts all the same, and keeps what it can of what was typed.
@Suite struct DamagedFileTests {
    private let file = OutboxFile()

    private func open() throws -> LocalStore { try LocalStore(path: file.path, device: "phone") }

    // A file with a cache and an outbox, closed, so that all of it is in one file.
    @discardableResult
    private func filled() throws -> [String] {
        let store = try open()
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        var keys: [String] = []
        for number in 1...200 {
            let text = Array(#""message \#(number) \#(String(repeating: "x", count: 300))""#.utf8)
            let item = try store.outbox.add(.send(kind: nil, body: text, replyTo: nil), to: "@bob", key: "k\(number)")
            keys.append(item.key)
        }
        try store.drafts.keep("half a sentence", for: "@carol")
        return keys
    }

    private func overwrite(_ range: Range<Int>, with byte: UInt8 = 0xA5) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: file.path))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(range.lowerBound))
        try handle.write(contentsOf: Data(repeating: byte, count: range.count))
    }

    @Test func aMarkedFileIsMadeAnewWithAllThatWasTyped() throws {
        let keys = try filled()
        DamagedFile(path: file.path).leaveMark()
        let store = try open()
        #expect(store.repair == LocalRepair(itemsSaved: keys.count))
        #expect(store.outbox.items.map(\.key) == keys)
        #expect(store.identity.user == "alice" && store.identity.device == "phone")
        #expect(store.identity.position == nil, "what the relay told is read anew")
        #expect(try store.drafts.draft(for: "@carol") == "half a sentence")
        #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
        do {
            let again = try open()
            #expect(again.repair == nil && again.outbox.items.count == keys.count)
        }
    }

    @Test func anEditKeepsTheVersionThatItNames() throws {
        do {
            let store = try open()
            try store.begin(Told.welcome(user: "alice"), isResumed: false)
            for version in [nil, 3] as [Int64?] {
                try store.outbox.add(
                    .edit(.stored(SequenceNumber(1)), body: MessageBody(text: "a").json), to: "c1",
                    key: "\(version ?? 0)",
                    ifVersion: version)
            }
        }
        DamagedFile(path: file.path).leaveMark()
        #expect(try open().outbox.items.map(\.ifVersion) == [nil, 3])
    }

    /// It looks like the migration of a newer version of the app, which would keep the user out for good.
    @Test(arguments: ["2", "x", " ", "-"]) func aDamagedNameOfAMigrationDoesNotKeepAnybodyOut(_ first: String) throws {
        let keys = try filled()
        do {
            let database = try LocalDatabase(path: file.path, migrations: nil)
            try database.run(
                "UPDATE migration SET name = ? || substr(name, 2) WHERE name LIKE '5 people'", [.text(first)])
        }
        let store = try open()
        #expect(store.repair == LocalRepair(itemsSaved: keys.count) && store.outbox.items.map(\.key) == keys)
    }

    @Test func aDamagedPageTakesOnlyItsOwnRows() throws {
        let keys = try filled()
        // The page that has a message from the middle.
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        let page = try #require(bytes.range(of: Data("message 100 ".utf8))).lowerBound / 4_096 * 4_096
        try overwrite(page..<(page + 4_096), with: 0)
        let store = try open()
        let left = store.outbox.items.map(\.key)
        #expect(left.count > keys.count / 2 && left.count < keys.count)
        #expect(left == keys.filter(Set(left).contains), "in order")
        #expect(left.first == keys.first && left.last == keys.last, "from either end")
    }

    // Expects the typed texts, in order, and a repair that says so.
    private func expectAll(_ keys: [String], _ store: LocalStore) throws {
        #expect(store.repair == LocalRepair(itemsSaved: keys.count))
        #expect(store.outbox.items.map(\.key) == keys && store.outbox.items.allSatisfy { $0.failure == nil })
        #expect(store.identity.user == "alice" && store.identity.device == "phone")
        #expect(try store.drafts.draft(for: "@carol") == "half a sentence")
        #expect(access(file.path + ".damaged", F_OK) == 0 || access(file.path + ".damaged-wal", F_OK) == 0)
    }

    private func flip(_ place: Int, bit: UInt8 = 0, of path: String? = nil) throws {
        let url = URL(filePath: path ?? file.path)
        var bytes = try Data(contentsOf: url)
        bytes[place] ^= 1 << bit
        try bytes.write(to: url)
    }

    @Test(arguments: 0..<16) func aBitInTheHeadLosesNothing(_ place: Int) throws {
        let keys = try filled()
        try flip(place, bit: UInt8(place % 8))
        try expectAll(keys, open())
    }

    @Test(arguments: [100, 4_096]) func junkAtTheBeginningLosesNothing(_ count: Int) throws {
        let keys = try filled()
        try overwrite(0..<count)
        try expectAll(keys, open())
    }

    /// The end of the file is gone: what stood there is lost, and nothing else.
    @Test func aFileThatWasCutKeepsTheRest() throws {
        let keys = try filled()
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        let end = bytes.count * 9 / 10
        let readable = keys.filter { key in
            bytes[..<(end / 4_096 * 4_096)].range(of: Data("message \(key.dropFirst()) xxx".utf8)) != nil
        }
        #expect(readable.count > keys.count / 2 && readable.count < keys.count)
        try bytes[..<end].write(to: URL(filePath: file.path))
        let store = try open()
        #expect(store.outbox.items.map(\.key) == readable)
        #expect(store.repair == LocalRepair(itemsSaved: readable.count))
    }

    // The files of an app that was killed: nothing of it is in the database's own file yet, or only a part.
    private func killed(isEarly: Bool = false) throws -> (copy: DamagedFileTests, keys: [String]) {
        let copy = DamagedFileTests()
        let store = try open()
        if isEarly { _ = try store.database.forget() }
        let keys = try filled()
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: file.path + end, toPath: copy.file.path + end)
        }
        withExtendedLifetime(store) {}
        return (copy, keys)
    }

    @Test func aBitInTheHeadBesideAFullLogLosesNothing() throws {
        let (copy, keys) = try killed()
        let log = try Data(contentsOf: URL(filePath: copy.file.path + "-wal"))
        try copy.flip(3)
        try copy.expectAll(keys, copy.open())
        #expect(try Data(contentsOf: URL(filePath: copy.file.path + ".damaged-wal")) == log)
    }

    /// A copy on a full disk leaves an empty file. SQLite takes it for a new one and deletes the log.
    @Test(arguments: [false, true]) func anEmptyFileBesideALogIsDamage(_ isMissing: Bool) throws {
        let (copy, keys) = try killed()
        let log = try Data(contentsOf: URL(filePath: copy.file.path + "-wal"))
        try Data().write(to: URL(filePath: copy.file.path))
        let failure = #expect(throws: LocalFailure.self) { try LocalDatabase(path: copy.file.path, migrations: nil) }
        #expect(failure?.isDamage == true)
        if isMissing { try FileManager.default.removeItem(atPath: copy.file.path) }
        try copy.expectAll(keys, copy.open())
        #expect(try Data(contentsOf: URL(filePath: copy.file.path + ".damaged-wal")) == log)
        let again = try copy.open()
        #expect(again.repair == nil && again.outbox.items.map(\.key) == keys)
    }

    @Test func aNewFileIsNoDamage() throws {
        #expect(try open().repair == nil)
        try Data().write(to: URL(filePath: file.path + ".other"))
        let empty = DamagedFileTests()
        try Data().write(to: URL(filePath: empty.file.path))
        try Data().write(to: URL(filePath: empty.file.path + "-wal"))
        #expect(try empty.open().repair == nil)
    }

    /// SQLite reads a log up to the first frame that is damaged, and drops the rest without a word.
    @Test(arguments: [0, 9, 17, 25, 32 + 9, 32 + 24 + 4_120 * 7 + 300, 32 + 4_120 * 5 + 10, 32 + 4_120 * 9 + 17])
    func aDamagedLogLosesNothing(_ place: Int) throws {
        let (copy, keys) = try killed(isEarly: true)
        try copy.flip(place, of: copy.file.path + "-wal")
        let store = try copy.open()
        #expect(store.repair != nil)
        // A page that was damaged and not written again has rows that aren't as they were.
        let left = store.outbox.items.filter { $0.failure == nil }.map(\.key)
        #expect(left.count > keys.count - 12 && left.last == keys.last)
    }

    /// An app that is killed while it writes leaves a frame that isn't whole: nothing is lost that anybody was
    /// promised.
    @Test func aTornEndOfTheLogIsNoDamage() throws {
        let (copy, keys) = try killed()
        let url = URL(filePath: copy.file.path + "-wal")
        var log = try Data(contentsOf: url)
        log.append(Data(repeating: 7, count: 3_000))
        try log.write(to: url)
        let store = try copy.open()
        #expect(store.repair == nil && store.outbox.items.map(\.key) == keys)
    }

    /// SQLite sees nothing wrong with it; the message must not go out as something else.
    @Test func aBitInATextIsSeen() throws {
        let keys = try filled()
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        let text = try #require(bytes.range(of: Data("message 100 ".utf8)))
        try flip(text.lowerBound + 14, bit: 1)
        let store = try open()
        #expect(store.repair == LocalRepair(itemsSaved: keys.count, itemsChanged: 1))
        #expect(store.outbox.items.map(\.key) == keys)
        #expect(store.outbox.items.filter { $0.failure != nil }.map(\.key) == ["k100"])
        let again = try open()
        #expect(again.repair == nil && again.outbox.items.filter { $0.failure != nil }.map(\.key) == ["k100"])
    }

    /// A text that isn't JSON any more can't be sent, and the rest of it stays for its user to mend.
    @Test func aTextThatIsNoJSONAnyMoreStays() throws {
        try filled()
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        let text = try #require(bytes.range(of: Data(#""message 100 "#.utf8)))
        try flip(text.lowerBound, bit: 6)
        let item = try #require(try open().outbox.items.first { $0.key == "k100" })
        #expect(item.failure != nil)
        guard case .send(nil, let body, nil) = item.action else { return #expect(Bool(false)) }
        #expect(MessageBody(json: body)?.text?.contains("message 100 xxx") == true)
    }

    /// A long text is on pages of its own.
    @Test func aLongTextIsSavedWhole() throws {
        let text = MessageBody(text: String(repeating: "a long text ", count: 2_000)).json
        do {
            let store = try open()
            try store.begin(Told.welcome(user: "alice"), isResumed: false)
            try store.outbox.add(.send(kind: nil, body: text, replyTo: nil), to: "@bob", key: "long")
        }
        try flip(1)
        let items = try open().outbox.items
        #expect(items.map(\.action) == [.send(kind: nil, body: text, replyTo: nil)])
    }

    /// Nothing that a session does leaves a row that looks damaged.
    @Test func everyChangeOfARowSealsIt() throws {
        do {
            let store = try open()
            let first = try store.outbox.add(
                .send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "@bob", key: "a")
            try store.outbox.replace(first.id, body: Array("2".utf8), mentions: ["bob"])
            try store.outbox.add(
                .send(kind: nil, body: Array("3".utf8), replyTo: .unsent(first.id)), to: "@bob", key: "b")
            try store.outbox.add(.edit(.stored(SequenceNumber(1)), body: Array("4".utf8)), to: "c1", key: "c")
            try store.outbox.add(
                .send(kind: nil, body: Array("5".utf8), replyTo: nil), to: "c1", key: "d", thread: SequenceNumber(1))
            for version in [1, 2] as [Int64] {
                try store.outbox.add(
                    .edit(.stored(SequenceNumber(5)), body: Array("6".utf8)), to: "c1", key: "e\(version)",
                    ifVersion: version)
            }
            try store.begin(Told.welcome(user: "alice"), isResumed: false)
            let edit = try #require(store.outbox.items.first { $0.key == "e1" })
            try store.accepted(edit.id, at: Timestamp(milliseconds: 1), version: 3)
            try store.accepted(
                first.id, at: Timestamp(milliseconds: 1),
                as: StoredMessage(
                    conversation: "c1", sequence: SequenceNumber(9), position: "e-9", time: Timestamp(milliseconds: 1),
                    isDuplicate: false))
        }
        do {
            let store = try open()
            #expect(store.repair == nil && store.outbox.items.map(\.key) == ["b", "c", "d", "e2"])
            try store.begin(Told.welcome(user: "alice", epoch: "f"), isResumed: false)
        }
        #expect(try open().repair == nil)
    }

    @Test func anyDamageLeavesAStoreThatWorks() throws {
        var generator = SeededGenerator(seed: 17)
        let count = try filled().count
        let whole = try Data(contentsOf: URL(filePath: file.path))
        for _ in 0..<60 {
            var torn = whole
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let start = Int.random(in: 0..<torn.count, using: &generator)
                let end = min(torn.count, start + Int.random(in: 1...64, using: &generator))
                let byte = UInt8.random(in: 0...255, using: &generator)
                torn.replaceSubrange(start..<end, with: repeatElement(byte, count: end - start))
            }
            let round = DamagedFileTests()
            try torn.write(to: URL(filePath: round.file.path))
            try round.work(count)
        }
    }

    // An app's day on a file that may be damaged: what fails with damage is marked, and the next start works.
    private func work(_ most: Int) throws {
        for attempt in 0..<2 {
            let store = try open()
            do {
                #expect(store.outbox.items.count <= most)
                try store.begin(Told.welcome(user: "alice"), isResumed: false)
                _ = try store.conversations(limit: 50)
                try store.outbox.add(
                    .send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "@bob", key: "new\(attempt)")
                _ = try store.unread()
                return
            } catch let failure as LocalFailure where failure.isDamage && attempt == 0 {
                // The next start makes it anew.
            }
        }
    }

    @Test func itemsWaitingForALostMessageHoldUpNoOther() throws {
        let keys = try filled()
        do {
            let store = try open()
            let parent = try #require(store.outbox.items.first { $0.key == "k100" })
            let body = Array(#""a reply""#.utf8)
            let reply = try store.outbox.add(
                .send(kind: nil, body: body, replyTo: .unsent(parent.id)), to: "@bob", key: "reply")
            try store.outbox.add(.react(.unsent(reply.id), reaction: "+", isOn: true), to: "@bob", key: "to reply")
            try store.outbox.add(.react(.unsent(parent.id), reaction: "+", isOn: true), to: "@bob", key: "to lost")
        }
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        let page = try #require(bytes.range(of: Data("message 100 ".utf8))).lowerBound / 4_096 * 4_096
        try overwrite(page..<(page + 4_096), with: 0)
        DamagedFile(path: file.path).leaveMark()
        let left = try open().outbox.items
        #expect(!left.contains { $0.key == "k100" || $0.key == "to lost" } && left.count < keys.count)
        #expect(left.suffix(2).map(\.key) == ["reply", "to reply"])
        #expect(left.suffix(2).first?.parent == nil, "a reply keeps its text")
    }

    @Test(arguments: ["new", "whole"]) func aCrashInTheMiddleIsEndedByTheNextStart(_ ending: String) throws {
        let keys = try filled()
        if ending == "new" {
            // Half a new file, which must not be taken for a whole one.
            try Data(repeating: 1, count: 5_000).write(to: URL(filePath: file.path + ".new"))
            #expect(try open().outbox.items.map(\.key) == keys)
        } else {
            try FileManager.default.copyItem(atPath: file.path, toPath: file.path + ".whole")
            try overwrite(0..<4_096)
            #expect(try open().outbox.items.map(\.key) == keys)
        }
        #expect(!FileManager.default.fileExists(atPath: file.path + "." + ending))
    }
}
