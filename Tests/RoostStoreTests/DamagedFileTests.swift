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
        try store.keep(draft: "half a sentence", for: "@carol")
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
        #expect(try store.draft(for: "@carol") == "half a sentence")
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
                    .edit(.stored(SequenceNumber(1)), body: Body(text: "a").json), to: "c1", key: "\(version ?? 0)",
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

    @Test func aFileThatIsNoDatabaseDoesNotKeepAnybodyOut() throws {
        try filled()
        try overwrite(0..<100)
        let store = try open()
        #expect(store.repair != nil && store.outbox.items.isEmpty)
        #expect(store.identity.device == "phone")
    }

    /// A copy on a full disk leaves such a file. SQLite takes it for a new one and deletes the log.
    @Test func anEmptyFileBesideALogKeepsTheLog() throws {
        let store = try open()
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        let log = try Data(contentsOf: URL(filePath: file.path + "-wal"))
        #expect(log.count > 0)
        let copy = OutboxFile()
        try Data().write(to: URL(filePath: copy.path))
        try log.write(to: URL(filePath: copy.path + "-wal"))
        let failure = #expect(throws: LocalFailure.self) { try LocalDatabase(path: copy.path, migrations: nil) }
        #expect(failure?.isDamage == true)
        #expect(try Data(contentsOf: URL(filePath: copy.path + "-wal")) == log)
        // The device begins anew, and the log stays beside the file that it was found with.
        _ = try LocalStore(path: copy.path, device: "phone")
        #expect(try Data(contentsOf: URL(filePath: copy.path + ".damaged-wal")) == log)
        withExtendedLifetime(store) {}
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

    @Test func whatWaitsForALostMessageKeepsNobodyOut() throws {
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
            // Half a new file, which nobody may take for a whole one.
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
