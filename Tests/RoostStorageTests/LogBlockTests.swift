import RoostCore
import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// Rows side by side in blocks: what goes in comes out, and no block grows.
@Suite struct LogBlockTests {
    private func block(_ bytes: [UInt8], at position: Int64 = 7) -> [Int64] {
        bytes.withUnsafeBytes { LogRows(block: position, bytes: $0).map(\.position) }
    }

    /// Stores keep these bytes, so they must never change.
    @Test func aRowHasTheseBytes() {
        var event = about(.react, 9, in: 0x0102, by: 0x0304)
        event.time = Timestamp(milliseconds: 0x0a_0000_0506)
        event.body = [0xAA, 0xBB]
        var header = LogHeader(
            conversation: 0x0102, sender: 0x0304, sequence: 0x0708, time: 0x0a_0000_0506, kind: 4,
            marks: [.flag, .reference], device: 1, key: 2, label: 3)
        header.length = 48
        var block = LogBlock()
        block.append(event, header, at: 0x1000, texts: UnsafeRawBufferPointer(start: nil, count: 0))
        block.removeAll()
        Array("dkklll".utf8).withUnsafeBytes { texts in
            block.append(event, header, at: 0x1000, texts: texts)
            block.append(event, header, at: 0x1005, texts: texts)
        }
        let row: [UInt8] = [
            48, 0, 0, 0, 2, 1, 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 6, 5, 0, 0, 0x0A, 0, 0, 4, 3, 1, 2, 3,
            9, 0, 0, 0, 0, 0, 0, 0, 0x64, 0x6B, 0x6B, 0x6C, 0x6C, 0x6C, 0xAA, 0xBB,
        ]
        #expect(Array(block.bytes.prefix(48)) == row)
        #expect(block.bytes[48 + 26] == 5 && block.bytes.count == 96)
        #expect(self.block(block.bytes, at: block.position) == [0x1000, 0x1005])
    }

    /// Damaged bytes give rows that aren't there, or fewer, but no trap.
    @Test func anyBytesCanBeRead() {
        var random = SeededGenerator(seed: 3)
        for count in 0..<2_000 {
            var bytes = (0..<count % 200).map { _ in UInt8.random(in: 0...255, using: &random) }
            // A length that fits, so that the rest is looked at.
            if bytes.count >= 32 { bytes.replaceSubrange(0..<4, with: [UInt8(bytes.count % 256), 0, 0, 0]) }
            if bytes.count >= 32, count % 2 == 0 { bytes.replaceSubrange(29..<32, with: [3, 2, 1]) }
            bytes.withUnsafeBytes { all in
                for row in LogRows(block: .max, bytes: all) {
                    let texts = row.device.count + row.key.count + row.label.count + row.body.count
                    #expect(texts <= bytes.count)
                    _ = [row.reference, row.editedAt, row.deletedAt]
                }
            }
        }
    }

    /// A message that becomes long leaves its block, so that no later change writes it again with its neighbours.
    @Test(arguments: [1, 5, 10] as [Int64])
    func aLongRowIsAloneInItsBlock(edited: Int64) throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        _ = try log.commit([creation()] + (0..<10).map { message("text \($0)", key: "k\($0)") })
        for times in [100, 500, 20_000, 3] {
            var edit = about(.edit, edited)
            edit.body = Array("\"\(String(repeating: "long", count: times))\"".utf8)
            _ = try log.commit([edit])
            let history = try log.history(1)
            #expect(history.map(\.sequence.value) == Array(1...10))
            #expect(history.map(\.position.value) == Array(2...11))
            for event in history where event.sequence.value != edited {
                #expect(event.body == Array("\"text \(event.sequence.value - 1)\"".utf8))
            }
            #expect(history[Int(edited) - 1].body == edit.body)
            #expect(history[Int(edited) - 1].key == "k\(edited - 1)")
            let blocks = try log.writer.database.prepare("SELECT position, rows FROM log")
            while try blocks.step() {
                let rows = Array(LogRows(block: blocks.int64(0), bytes: blocks.bytes(1)))
                #expect(rows.count == 1 || blocks.bytes(1).count <= LogBlock.bytesMax)
            }
        }
        _ = try log.commit([about(.delete, edited)])
        let deleted = try log.history(1)[Int(edited) - 1]
        #expect(deleted.body.isEmpty && deleted.editedAt != .never && deleted.deletedAt != .never)
        #expect(try log.storedRows() == 16)
    }

    /// An erasure has a position but no row: the rows around many of them are far apart, and not in one block.
    @Test func rowsFarApartKeepTheirPositions() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        _ = try log.commit((1...400).map { creation($0) })
        let erasures = (2...400).map { (number: Int32) -> Append in
            var event = message(in: number)
            event.kind = .conversation
            event.change = .erase
            return event
        }
        let outcomes = try log.commit([message("one")] + erasures + [message("two")])
        #expect(outcomes.compactMap { position($0) } == Array(401...801))
        #expect(try log.history(1).map(\.position.value) == [401, 801])
    }

    /// Events of one batch that mean each other find each other, though the batch isn't stored yet.
    @Test func aBatchSeesItsOwnRows() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        var edit = about(.edit, 1)
        edit.body = Array("\"new\"".utf8)
        let outcomes = try log.commit([
            creation(), message("old", key: "k"), edit, edit, message(key: "k"), message("two", key: "l"),
            about(.delete, 2), about(.react, 1), message("three"),
        ])
        #expect(outcomes[3] == .unchanged)
        #expect(
            outcomes[4]
                == .duplicate(
                    Position(2), SequenceNumber(1), ConversationNumber(1), Timestamp(milliseconds: 1_000)))
        #expect(outcomes.compactMap { position($0) } == [1, 2, 3, 4, 5, 6, 7])
        #expect(
            try log.history(1).map { String(decoding: $0.body, as: UTF8.self) } == ["\"new\"", "", "\"three\""])
        #expect(try log.storedRows() == 7)
    }
}
