import RoostCore
import RoostWire
import Synchronization
import Testing

@testable import RoostStorage

/// The disk is full: nothing is stored, nothing is lost, and the writer goes on once there is room. `DiskTests` has the
/// same with crashes, and `test_24_full_disk.py` on a file system.
@Suite struct FullDiskTests {
    /// A disk and a clock that do what a test says.
    private final class Disk: Sendable {
        let free = Mutex(Int64(1_000))
        let now = Mutex(Int64(0))
    }

    private func room(_ disk: Disk, floor: Int64) -> Room {
        Room(
            floor: floor, bounds: StorageBounds(), clock: { disk.now.withLock { $0 } }, gauges: Gauges(),
            reporter: StorageReporter(), measure: { disk.free.withLock { $0 } })
    }

    @Test func theFloorHasToBeFreeAndABitMoreToGoOn() {
        let disk = Disk()
        let room = room(disk, floor: 100)
        #expect(!room.isFull)
        for (free, isFull) in [(100, false), (99, true), (100, true), (124, true), (125, false), (100, false)] {
            disk.free.withLock { $0 = Int64(free) }
            room.look()
            #expect(room.isFull == isFull, "\(free) free")
        }
    }

    @Test func afterSQLitesWordNothingIsTriedForAWhile() {
        let disk = Disk()
        let room = room(disk, floor: 0)
        room.noteFull()
        disk.now.withLock { $0 = StorageBounds().fullMilliseconds - 1 }
        #expect(!room.look() && room.isFull)
        disk.now.withLock { $0 += 1 }
        #expect(room.look() && !room.isFull)
    }

    @Test func aStoreBelowTheFloorIsReadAndNotWritten() throws {
        let scratch = try Scratch()
        var log = try SQLiteLog(scratch.path(), .full, .tiny)
        _ = try log.commit([creation(), message("kept", key: "kept")])
        log.close()
        log = try SQLiteLog(scratch.path(), .full, .tiny, freeFloor: .max)
        defer { log.close() }
        #expect(try log.load().head == Position(2))
        #expect(!log.storeWriter.hasRoom && log.statistics.isFull)
        #expect(throws: NoRoom.self) { try log.storeWriter.commit([.append(message())]) }
        #expect(try !log.storeWriter.maintain())
        #expect(try log.history(1).map(\.body) == [Array("\"kept\"".utf8)])
        #expect(!log.statistics.isPoisoned)
    }

    /// SQLite finds the disk full in the middle of a commit that has changed everything a writer keeps in memory.
    @Test(arguments: [StorageBounds(), .tiny])
    func aCommitWithoutRoomHasNeverBeen(bounds: StorageBounds) throws {
        let scratch = try Scratch()
        var bounds = bounds
        bounds.fullMilliseconds = 0
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        _ = try log.commit([creation(1), creation(2)] + (0..<20).map { message(key: "k\($0)") })
        _ = try log.storeWriter.maintain()
        let pages = Int(try log.writer.database.value("PRAGMA page_count") ?? "") ?? 0
        _ = try log.writer.database.value("PRAGMA max_page_count = \(pages + 2)")
        let large = message(String(repeating: "x", count: 100_000), key: "large")
        var erase = message(in: 2)
        (erase.kind, erase.label, erase.change) = (.conversation, "", .erase)
        #expect(throws: NoRoom.self) {
            try log.storeWriter.commit(
                [.lease(.user), .user(UserNumber(9), name: "nobody")]
                    + [message("lost", key: "lost"), creation(3), erase, about(.edit, 3), large].map { .append($0) })
        }
        #expect(log.statistics.notices[.fullDisk] == 1 && !log.statistics.isPoisoned)
        #expect(try log.history(1).count == 20)
        let outcomes = try log.storeWriter.commit(
            [message("again", key: "lost"), message(key: "k7"), creation(3), message(in: 2)].map { .append($0) })
        #expect(position(outcomes.first) == 23)
        if case .duplicate(let place, _, _, _, _)? = outcomes.dropFirst().first {
            #expect(place == Position(10))
        } else {
            Issue.record("k7 is stored twice")
        }
        #expect(outcomes.dropFirst(2).map { position($0) } == [24, 25])
        #expect(try log.history(1).last?.body == Array("\"again\"".utf8))
        #expect(try log.load().users.isEmpty)
        try log.writer.maintainAll()
        #expect(try log.history(1).count == 21)
        // Every reader sees what the new writer stores.
        for reader in log.readers {
            let page = PageRequest(
                spans: [.init(ConversationNumber(3), after: .start, upTo: Position(25))], rows: 9, bytes: 99)
            #expect(try reader.answer(Read(ticket: 1, .page(page))).events.count == 1)
        }
    }

    @Test func theRestOfATransactionIsCutOff() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        _ = try log.commit([creation(), message("kept")])
        try log.writer.database.cutWAL()
        let copy = try scratch.crashCopy(as: "copy.db")
        let other = try SQLiteLog(copy, .full, .tiny)
        defer { other.close() }
        #expect(try other.load().head == Position(2))
        #expect(other.statistics.notices[.lostEnd] == nil)
        _ = try log.commit([message("more")])
        #expect(try log.history(1).count == 2)
    }

    @Test func aCleanStopLeavesNoWatermarksToRaise() throws {
        let scratch = try Scratch()
        var log = try SQLiteLog(scratch.path(), .full, .tiny)
        _ = try log.commit([creation(), message()])
        #expect(try log.writer.meta.number("marked_to") == 0)
        #expect(try log.checkpoint(areMarksStored: true))
        log.close()
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        #expect(try log.writer.meta.number("marked_to") == 2)
        // The member's watermark wasn't stored, and a start after a clean stop doesn't look for it.
        #expect(try log.load().members.first?.watermark.read == SequenceNumber.none)
        _ = try log.commit([message()])
        log.close()
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        #expect(try log.load().members.first?.watermark.read == SequenceNumber(2))
        log.close()
    }

    /// A failure is reported at first and then once a minute, damage once.
    @Test func repeatedFailuresAreReportedOnceAMinute() {
        let now = Mutex(Int64(0))
        let told = Mutex<[String]>([])
        let clock: @Sendable () -> Int64 = { now.withLock { $0 } }
        let reporter = StorageReporter(clock: clock) { notice in told.withLock { $0.append(notice.text) } }
        for second in Int64(0)...125 {
            now.withLock { $0 = second * 1_000 }
            reporter.note(.readFailed, "no")
            reporter.note(.damagedRow, "row 1")
        }
        #expect(
            told.withLock { $0 } == [
                "no", "row 1", "no (60 times since it was last said)", "no (60 times since it was last said)",
            ])
        #expect(reporter.counts == [.readFailed: 126, .damagedRow: 126])
    }
}
