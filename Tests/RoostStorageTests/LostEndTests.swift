import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// The newest rows of a log are lost, by damage or because an older copy replaces it. Positions and sequences that were
/// given aren't given again, as far as anything shows them. Clients learn it by a new epoch, and operators by the log.
@Suite struct LostEndTests {
    /// The salts of the write-ahead log and the place of each of its frames.
    private struct Frames {
        var url: URL
        var bytes: Data
        let frameBytes = Database.frameBytes

        init(_ path: String) throws {
            url = URL(fileURLWithPath: path + "-wal")
            bytes = try Data(contentsOf: url)
        }

        /// Frames of the log as it is now.
        var count: Int {
            var count = 0
            while start(count) + frameBytes <= bytes.count,
                bytes[(start(count) + 8)..<(start(count) + 16)] == bytes[16..<24]
            {
                count += 1
            }
            return count
        }

        /// The frames that end a commit.
        var commits: [Int] { (0..<count).filter { bytes[(start($0) + 4)..<(start($0) + 8)] != Data([0, 0, 0, 0]) } }

        func start(_ frame: Int) -> Int { 32 + frame * frameBytes }

        mutating func flip(_ offset: Int) throws {
            bytes[offset] ^= 1
            try bytes.write(to: url)
        }
    }

    private struct Start {
        var epoch: String
        var head: Int64
        var lost: Int
        var next: Int64?
    }

    private func start(_ path: String, _ durability: Durability = .full) throws -> Start {
        let log = try SQLiteLog(path: path, durability: durability)
        defer { log.close() }
        let snapshot = try log.load()
        return Start(
            epoch: snapshot.epoch, head: snapshot.head.value, lost: log.statistics.notices[.lostEnd] ?? 0,
            next: position(try log.commit([message("next")]).first))
    }

    /// Ten commits after the creation, of two messages each: positions 2 to 21.
    private func written(_ scratch: Scratch, _ durability: Durability = .full) throws -> (log: SQLiteLog, epoch: String)
    {
        let log = try SQLiteLog(path: scratch.path(), durability: durability)
        let epoch = try log.load().epoch
        _ = try log.commit([creation()])
        for number in 0..<10 {
            _ = try log.commit([message("a\(number)", key: "a\(number)"), message("b\(number)", key: "b\(number)")])
        }
        return (log, epoch)
    }

    // MARK: The write-ahead log

    /// One bit flips in a commit that isn't the last one.
    @Test func aLogThatIsDamagedInItsMiddleIsNoticed() throws {
        let scratch = try Scratch()
        let (log, epoch) = try written(scratch)
        defer { log.close() }
        let commits = try Frames(scratch.path()).commits
        for (index, commit) in commits.dropLast().enumerated() {
            for (place, offset) in [("page", 5_000), ("checksum", 17), ("page number", 3)] {
                // If the first commit is damaged, the schema is lost: then it is a new store.
                guard index > 1 else { continue }
                let path = try scratch.crashCopy(as: "\(index)-\(offset).db", suffixes: ["", "-wal"])
                var frames = try Frames(path)
                try frames.flip(frames.start(commit) + offset)
                let found = try start(path)
                #expect(found.epoch != epoch, "\(place) of commit \(index)")
                #expect(found.lost == 1, "\(place) of commit \(index)")
                let again = try start(path)
                #expect(again.epoch == found.epoch && again.lost == 0)
            }
        }
    }

    /// A power cut leaves a part of the last commit, which was never acked.
    @Test func aLastCommitThatIsCutShortIsNoLoss() throws {
        let scratch = try Scratch()
        let (log, epoch) = try written(scratch)
        defer { log.close() }
        let last = try #require(try Frames(scratch.path()).commits.last)
        for offset in [0, 3, 5, 9, 17, 24, 5_000, Database.frameBytes - 1] {
            let path = try scratch.crashCopy(as: "\(offset).db", suffixes: ["", "-wal"])
            var frames = try Frames(path)
            try frames.flip(frames.start(last) + offset)
            let found = try start(path)
            #expect(found.epoch == epoch && found.lost == 0)
            #expect(found.next == 20)
        }
    }

    // MARK: The note

    @Test(arguments: [Durability.full, .normal])
    func aWriteAheadLogThatIsGoneIsNoticed(durability: Durability) throws {
        let scratch = try Scratch()
        let (log, epoch) = try written(scratch, durability)
        defer { log.close() }
        #expect(try log.checkpoint())
        _ = try log.commit([message(), message()])
        let path = try scratch.crashCopy(as: "copy.db", suffixes: ["", ".lock"])
        let found = try start(path, durability)
        #expect(found.epoch != epoch && found.lost == 1)
        #expect(found.head == 23 && found.next == 24)
        let again = try start(path, durability)
        #expect(again.epoch == found.epoch && again.lost == 0)
    }

    /// A backup is copied by hand instead of restored.
    @Test func anOlderCopyInItsPlaceIsNoticed() throws {
        let scratch = try Scratch()
        let (log, epoch) = try written(scratch)
        #expect(try log.checkpoint())
        _ = try scratch.crashCopy(as: "backup.db", suffixes: [""])
        _ = try log.commit([message()])
        log.close()
        try FileManager.default.removeItem(atPath: scratch.path())
        try FileManager.default.copyItem(atPath: scratch.path("backup.db"), toPath: scratch.path())
        let found = try start(scratch.path())
        #expect(found.epoch != epoch && found.head == 22 && found.next == 23)
    }

    /// With unsynced commits, the last ones may be lost when the machine stops. Nothing in the store shows that.
    @Test(arguments: [(Durability.full, false), (.normal, true)])
    func aStopOfTheMachineMayCostUnsyncedCommits(durability: Durability, isLoss: Bool) throws {
        let scratch = try Scratch()
        let (log, epoch) = try written(scratch, durability)
        defer { log.close() }
        let path = try scratch.crashCopy(as: "copy.db")
        let note = try String(contentsOfFile: path + ".lock", encoding: .utf8)
        #expect(note.contains("position 21 open"))
        let file = open(path + ".lock", O_RDWR)
        LogNote(file).begin(
            .init(epoch: epoch, position: 21, isOpen: true, isSynced: durability == .full, boot: "another"))
        close(file)
        let found = try start(path, durability)
        #expect((found.epoch != epoch) == isLoss && found.lost == (isLoss ? 1 : 0))
        // It was closed in order now, so another stop of the machine doesn't matter.
        let again = try start(path, durability)
        #expect(again.epoch == found.epoch && again.lost == 0)
    }

    @Test func aKillIsNoLoss() throws {
        let scratch = try Scratch()
        let (log, epoch) = try written(scratch, .normal)
        defer { log.close() }
        let found = try start(try scratch.crashCopy(as: "copy.db"), .normal)
        #expect(found.epoch == epoch && found.lost == 0 && found.next == 22)
    }

    @Test func aStoreThatIsGoneIsNotMadeAnew() throws {
        let scratch = try Scratch()
        let (log, _) = try written(scratch)
        log.close()
        try FileManager.default.removeItem(atPath: scratch.path())
        let missing = StorageFailure.missing(path: scratch.path(), trace: .note(position: 21))
        #expect(throws: missing) { try SQLiteLog(path: scratch.path(), durability: .full) }
        #expect(!FileManager.default.fileExists(atPath: scratch.path()))
        try FileManager.default.removeItem(atPath: scratch.path() + ".lock")
        #expect(try start(scratch.path()).head == 0)
    }

    @Test func aNoteIsReadAsItWasWritten() throws {
        let content = LogNote.Content(epoch: "abc", position: 42, isOpen: true, isSynced: false, boot: "b-1")
        let bytes = LogNote.bytes(of: content)
        #expect(LogNote.parse(bytes[...]) == content)
        #expect(LogNote.parse((bytes + Array("an older note\n".utf8))[...]) == content)
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                #expect(LogNote.parse(damaged[...]) == nil)
            }
            #expect(LogNote.parse(bytes[..<index]) == nil)
        }
    }

    // MARK: Rows

    /// The last rows of the log are gone, and everything else is as it was.
    @Test func theNumbersOfLostRowsAreNotGivenAgain() throws {
        let scratch = try Scratch()
        var log = try SQLiteLog(scratch.path(), .full, .tiny)
        let epoch = try log.load().epoch
        var mark = Watermark()
        mark.delivered = SequenceNumber(9)
        mark.read = SequenceNumber(8)
        _ = try log.commit([creation()] + (1...10).map { message(key: "k\($0)") })
        _ = try log.writer.commit([
            .user(UserNumber(1), name: "alice"),
            .device(DeviceNumber(1), user: UserNumber(1), name: "phone", cursor: Position(10)),
            .watermark(ConversationNumber(1), UserNumber(1), mark),
        ])
        try log.writer.database.execute("DELETE FROM log WHERE position > 6")
        try log.writer.database.execute("UPDATE meta SET value = 6 WHERE name = 'indexed_to'")
        try log.writer.database.execute("UPDATE conversation SET last_sequence = 5, last_position = 6")
        log.close()
        try FileManager.default.removeItem(atPath: scratch.path() + ".lock")
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        let snapshot = try log.load()
        #expect(snapshot.epoch != epoch)
        #expect(snapshot.head == Position(10))
        #expect(snapshot.conversations.map(\.lastSequence) == [SequenceNumber(9)])
        #expect(snapshot.members.map(\.watermark) == [mark])
        #expect(log.statistics.notices[.lostEnd] == 1)
        #expect(try log.commit([message("next")]) == [.stored(Position(11), SequenceNumber(10))])
        try log.writer.maintainAll()
        log.close()
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        let again = try log.load()
        #expect(again.epoch == snapshot.epoch && again.head == Position(11))
        #expect(again.conversations.map(\.lastSequence) == [SequenceNumber(10)])
        #expect(try log.history(1).map(\.sequence.value) == [1, 2, 3, 4, 5, 10])
        let gaps = try log.answer(.history(.all(of: 1))).gaps
        #expect(gaps.map { [$0.from.value, $0.to.value] } == (6...9).map { [$0, $0] })
    }

    /// A damaged number that can't have been given costs only what it stands for.
    @Test func aWatermarkThatCannotBeTrueCountsForNothing() throws {
        let scratch = try Scratch()
        var log = try SQLiteLog(path: scratch.path(), durability: .full)
        let epoch = try log.load().epoch
        _ = try log.writer.commit([.user(UserNumber(1), name: "alice")])
        _ = try log.commit([creation(), message(), message()])
        try log.writer.database.execute("UPDATE member SET read = 1099511627778, delivered = 2")
        log.close()
        log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        let snapshot = try log.load()
        #expect(snapshot.epoch == epoch)
        #expect(snapshot.members.map(\.watermark.read) == [SequenceNumber(2)])
        #expect(snapshot.conversations.map(\.lastSequence) == [SequenceNumber(2)])
        #expect(log.statistics.notices == [.damagedRow: 1])
        #expect(try log.commit([message()]) == [.stored(Position(4), SequenceNumber(3))])
    }

    /// A row at the end is so damaged that its conversation can't be known.
    @Test func aRowWithoutAPlaceChangesTheEpochOnce() throws {
        let scratch = try Scratch()
        let written = try written(scratch)
        var log = written.log
        try log.writer.database.execute("UPDATE log SET conversation = 9, sequence = 77 WHERE position = 21")
        log.close()
        log = try SQLiteLog(path: scratch.path(), durability: .full)
        let snapshot = try log.load()
        #expect(snapshot.epoch != written.epoch)
        #expect(snapshot.head == Position(21))
        #expect(log.statistics.notices[.lostEnd] == 1)
        log.close()
        log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        #expect(try log.load().epoch == snapshot.epoch)
        #expect(log.statistics.notices[.lostEnd] == nil)
    }
}
