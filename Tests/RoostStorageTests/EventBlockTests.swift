import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// A block of the event index returns the entries that were put into it.
@Suite struct EventBlockTests {
    private func rows(_ block: EventBlock) -> [EventEntry] {
        block.bytes.withUnsafeBytes { Array(EventRows(before: block.before, position: block.position, bytes: $0)) }
    }

    @Test func everyRowComesBack() throws {
        var random = SeededGenerator(seed: 1)
        for count in [1, 2, 3, 50, EventBlock.rowsMax] {
            var sequence: Int64 = 1_000
            var position: Int64 = 5
            let entries = (0..<count).map { _ -> EventEntry in
                position += 1 + Int64.random(in: 0...3, using: &random) * Int64.random(in: 0...1 << 40, using: &random)
                let isMessage = Bool.random(using: &random)
                if isMessage { sequence += 1 }
                return EventEntry(position: position, sequence: sequence, isMessage: isMessage)
            }
            let block = try #require(EventBlock(entries[...], of: 3))
            #expect(block.rows == count)
            #expect(rows(block) == entries)
        }
        #expect(EventBlock([], of: 3) == nil)
    }

    /// A block doesn't store sequences, but counts messages. So it ends before a missing message.
    @Test func aBlockEndsBeforeAHole() throws {
        let entries = [1, 2, 2, 5, 6].enumerated().map { index, sequence in
            EventEntry(position: Int64(index + 10), sequence: sequence, isMessage: index != 2)
        }
        let first = try #require(EventBlock(entries[...], of: 3))
        #expect(rows(first) == Array(entries[..<3]))
        let second = try #require(EventBlock(entries[first.rows...], of: 3))
        #expect(rows(second) == Array(entries[3...]))
        #expect(second.before == 4)
    }

    @Test func aLongPartIsDivided() throws {
        let entries = (1...300).map { EventEntry(position: $0, sequence: $0, isMessage: true) }
        var rest = entries[...]
        var found: [EventEntry] = []
        while let block = EventBlock(rest, of: 1) {
            #expect(block.rows <= EventBlock.rowsMax)
            found += rows(block)
            rest = rest.dropFirst(block.rows)
        }
        #expect(found == entries)
    }

    /// Damaged bytes may give wrong rows, but never trap.
    @Test func anyBytesCanBeRead() {
        var random = SeededGenerator(seed: 2)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) | (count % 3 == 0 ? 0x80 : 0) }
            let rows = bytes.withUnsafeBytes { Array(EventRows(before: .max, position: .max, bytes: $0)).count }
            #expect(rows <= count)
        }
    }
}
