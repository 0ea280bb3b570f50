import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Damage to the file that SQLite takes as it is, or finds only when it needs the page.
@Suite struct DamagedFileTests {
    private static let pageBytes = Database.pageBytes

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Messages 1 to 12 of conversation 1 at positions 2 to 13, then two of conversation 2. In the file without a WAL.
    private func write(_ bounds: StorageBounds) throws {
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        _ = try log.commit([creation(1)] + (1...12).map { message("m\($0)", key: "k\($0)") })
        _ = try log.commit([creation(2), message(in: 2), message(in: 2)])
        try log.writer.maintainAll()
        _ = try log.checkpoint()
        log.close()
    }

    /// Changes the file. All that is in the write-ahead log is in the file, too, and would hide the change.
    private func change(_ body: (inout Data) throws -> Void) throws {
        let file = URL(fileURLWithPath: scratch.path())
        var content = try Data(contentsOf: file)
        try body(&content)
        try content.write(to: file)
        try? FileManager.default.removeItem(atPath: scratch.path() + "-wal")
    }

    /// Calls `body` with where each page begins.
    private func pages(of content: Data, _ body: (Int) throws -> Void) rethrows {
        for page in stride(from: 0, to: content.count, by: Self.pageBytes) { try body(page) }
    }

    /// Gives the row of the log at a position another number, as one damaged byte does. In the file format of SQLite a
    /// cell of a table's leaf begins with the length of the row and its number, here of one or two bytes and of one.
    private func renumber(_ position: UInt8, to other: UInt8) throws {
        try change { content in
            var found: [Int] = []
            pages(of: content) { page in
                guard page > 0, content[page] == 13 else { return }
                for cell in 0..<Int(content[page + 3]) << 8 + Int(content[page + 4]) {
                    let pointer = page + 8 + cell * 2
                    var place = page + Int(content[pointer]) << 8 + Int(content[pointer + 1])
                    while content[place] > 127 { place += 1 }
                    // A row of the log has 15 columns, so that its header has more than 15 bytes.
                    if content[place + 1] == position, content[place + 2] > 15 { found.append(place + 1) }
                }
            }
            try #require(found.count == 1)
            content[found[0]] = other
        }
    }

    /// The row seems to stand before its place, where another one is, behind all others of the page, or at the end.
    @Test(arguments: [0, 3, 7, 9, 16, 100] as [UInt8], [StorageBounds(), .tiny])
    func aRowWithAnotherNumberCostsItself(other: UInt8, bounds: StorageBounds) throws {
        try write(bounds)
        try renumber(6, to: other)
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        let snapshot = try log.load()
        #expect(snapshot.conversations.map(\.lastSequence.value) == [12, 2])
        let history = try log.answer(.history(.all(of: 1)))
        // SQLite may miss a neighbour, too, when it searches among numbers that are out of order. Nothing is left out
        // without a gap.
        let gaps = history.gaps.flatMap { Array($0.from.value...$0.to.value) }
        #expect((history.events.map(\.sequence.value) + gaps).sorted() == Array(1...12))
        #expect(gaps.contains(5) && gaps.count <= 3)
        // From wherever it is read, but right beside it.
        for after in 0..<16 as Range<Int64> where after != 5 && after != 6 {
            let feed = try log.answer(.feed(FeedRequest(after: Position(after), rows: 100)))
            #expect(feed.events.map(\.position.value) == (after + 1...16).filter { $0 != 6 }, "after \(after)")
            #expect(feed.damaged == (after < 6 ? [Position(6)] : []), "after \(after)")
        }
        // No number is given twice.
        #expect(try log.commit([message("next")]) == [.stored(Position(17), SequenceNumber(13))])
    }

    /// A pointer leads to another page: one that was read before, or one that comes later. Its rows are lost, and no
    /// others.
    @Test(arguments: [(5, 2), (5, 9), (1, 7)], [7, 1_000])
    func aPageInThePlaceOfAnotherCostsOne(pointers: (from: Int, to: Int), rows: Int) throws {
        let count: Int64 = 400
        var log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        let text = String(repeating: "x", count: 300)
        _ = try log.commit([creation(1)] + (1..<count).map { message(text, key: "k\($0)") })
        _ = try log.checkpoint()
        log.close()
        let database = try Database(path: scratch.path())
        let root = try #require(Int(database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'log'") ?? ""))
        database.close()
        var lost: ClosedRange<Int64>?
        try change { content in
            let page = (root - 1) * Self.pageBytes
            // An inner page of a table: after its header of 12 bytes, the places of cells of a page number and a key.
            try #require(content[page] == 5)
            func cell(_ index: Int) -> Int {
                page + Int(content[page + 12 + index * 2]) << 8 + Int(content[page + 13 + index * 2])
            }
            func key(_ index: Int) -> Int64 {
                let place = cell(index) + 4
                return content[place] > 127
                    ? Int64(content[place] & 127) << 7 + Int64(content[place + 1]) : Int64(content[place])
            }
            let (from, to) = (cell(pointers.from), cell(pointers.to))
            content.replaceSubrange(from..<from + 4, with: Data(content[to..<to + 4]))
            lost = key(pointers.from - 1) + 1...key(pointers.from)
        }
        let gone = try #require(lost)
        log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        defer { log.close() }
        var found: [Int64] = []
        var damaged = 0
        var place: Int64 = 0
        while place < count {
            var left = rows
            let start = place
            try log.writer.log.walk(above: start, upTo: count) { row in
                found.append(row.position)
                place = row.position
                left -= 1
                return left > 0
            } damaged: { position in
                damaged += 1
                place = position
                left -= 1
                return left > 0
            }
            if left > 0 { place = count }
        }
        #expect(found == (1...count).filter { !gone.contains($0) })
        #expect(damaged > 0)
    }

    /// A page that the body of the last row goes on in can't be read.
    @Test func aLastRowWithoutAllOfItsPagesIsStillTheLast() throws {
        try write(StorageBounds())
        var log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        _ = try log.commit([message(String(repeating: "walrus ", count: 5_000), key: "long")])
        _ = try log.checkpoint()
        log.close()
        try change { content in
            // A chain of pages ends too early if the number of the next one is 0.
            pages(of: content) { page in
                let range = page + 4..<page + Self.pageBytes
                guard content[page] == 0, content[range].range(of: Data("walrus walrus".utf8)) != nil else { return }
                content.replaceSubrange(page..<page + 4, with: Data([0xFF, 0xFF, 0xFF, 0xFF]))
            }
        }
        log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        defer { log.close() }
        #expect(log.writer.head == 17)
        #expect(try log.commit([message("next")]).first.flatMap { position($0) } == 18)
        #expect(try StoreVerifier.run(scratch.path()) { _ in }.findings.isEmpty == false)
    }

    /// A pass may fail in its callback; the next pass has to begin anew, on a new state of the database.
    @Test func aWalkThatFailsLeavesNothingOpen() throws {
        try write(StorageBounds())
        let log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        defer { log.close() }
        let database = try Database(path: scratch.path())
        defer { database.close() }
        let table = try LogTable(database)
        #expect(throws: TailMoved.self) {
            try table.walk(above: 0, upTo: 16) { row in
                if row.position == 4 { throw TailMoved() }
                return true
            } damaged: { _ in
                true
            }
        }
        _ = try log.commit([message("next")])
        #expect(try log.checkpoint())
        var found: [Int64] = []
        try table.walk(above: 0, upTo: 16) { row in
            found.append(row.position)
            return true
        } damaged: { _ in
            true
        }
        #expect(found == Array(1...16))
    }

    /// The last row, and with it what says how far the log goes. Its sequence is known as long as it seems to be the
    /// last one; otherwise clients hear of a new epoch.
    @Test(arguments: [0, 3, 100] as [UInt8])
    func theLastRowWithAnotherNumberIsNotTheEnd(other: UInt8) throws {
        try write(StorageBounds())
        try renumber(16, to: other)
        let log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        defer { log.close() }
        let snapshot = try log.load()
        #expect(try log.history(1).count == 12)
        #expect(try log.history(2).map(\.sequence.value) == [1])
        let isLast = other > 16
        #expect(snapshot.conversations.map(\.lastSequence.value) == [12, isLast ? 2 : 1])
        #expect((log.statistics.notices[.lostEnd] == 1) == !isLast)
        let next = try log.commit([message("next", in: 1)])
        #expect(next == [.stored(Position(isLast ? 101 : 17), SequenceNumber(13))])
    }

    /// A page of reactions that can't be read costs the reactions on it. Everything else goes on.
    @Test func aDamagedPageOfReactionsRefusesThem() throws {
        func reaction(_ label: String, by user: Int32, to sequence: Int64) -> Append {
            var reaction = about(.react, sequence, by: user)
            reaction.label = label
            return reaction
        }
        try write(StorageBounds())
        var log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        for sequence in 1...12 as ClosedRange<Int64> {
            _ = try log.commit((1...200).map { reaction("zebra\($0)", by: $0, to: sequence) })
        }
        _ = try log.commit([reaction("walrus", by: 1, to: 12)])
        _ = try log.checkpoint()
        log.close()
        try change { content in
            pages(of: content) { page in
                // A leaf of a table without row numbers.
                let range = page..<page + Self.pageBytes
                guard content[page] == 10, content[range].range(of: Data("walrus".utf8)) != nil else { return }
                content.resetBytes(in: range)
            }
        }
        log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        defer { log.close() }
        let outcomes = try log.commit([message("next"), reaction("walrus", by: 2, to: 12), reaction("b", by: 1, to: 1)])
        #expect(outcomes[0] == .stored(Position(2_418), SequenceNumber(13)))
        #expect(outcomes[1] == .refused(.unavailable))
        #expect(outcomes[2] == .stored(Position(2_419), SequenceNumber(1)))
        #expect(log.statistics.notices[.damagedIndex] == 1)
    }

    /// Members and devices have no checksum; what they name says that they are damaged.
    @Test(arguments: [
        "UPDATE member SET user = 9 WHERE user = 1", "UPDATE member SET conversation = 9", "DELETE FROM user",
        "UPDATE device SET user = 9",
    ])
    func referencesToMissingRowsAreReported(damage: String) throws {
        var log = try SQLiteLog(scratch.path(), .full, .tiny)
        _ = try log.writer.commit([
            .user(UserNumber(1), name: "alice"),
            .device(DeviceNumber(1), user: UserNumber(1), name: "phone", cursor: .start),
        ])
        _ = try log.commit([creation(1), message()])
        _ = try log.load()
        #expect(log.statistics.notices.isEmpty)
        try log.writer.database.execute(damage)
        log.close()
        log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        _ = try log.load()
        #expect(log.statistics.notices[.damagedRow, default: 0] > 0)
    }

    /// Without the first page of an index no client could catch up: the relay doesn't start, and names the mend.
    @Test(arguments: Schema.derivedTables + ["event_block_by_sequence"])
    func aStartRefusesAnIndexThatCannotBeRead(table: String) throws {
        try write(StorageBounds())
        let database = try Database(path: scratch.path())
        let root = try #require(Int(database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'") ?? ""))
        database.close()
        try change { $0.resetBytes(in: (root - 1) * Self.pageBytes..<root * Self.pageBytes) }
        let error = #expect(throws: StorageFailure.self) { try SQLiteLog(path: scratch.path(), durability: .full) }
        #expect(error?.description.contains("roost store reindex") == true)
        try SQLiteLog.reindex(scratch.path(), .full, .tiny, reporter: StorageReporter())
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        #expect(try log.history(1).count == 12)
    }
}
