import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// What goes into a block of the event index comes out of it.
@Suite struct EventBlockTests {
    @Test func everyRowComesBack() throws {
        var random = SeededGenerator(seed: 1)
        for count in [1, 2, 3, 50, EventBlock.rowsMax] {
            var sequence: Int64 = 1_000
            var position: Int64 = 5
            let entries = (0..<count).map { _ -> Tail.Entry in
                position += 1 + Int64.random(in: 0...3, using: &random) * Int64.random(in: 0...1 << 40, using: &random)
                let isMessage = Bool.random(using: &random)
                if isMessage { sequence += 1 }
                return Tail.Entry(position: position, sequence: sequence, isMessage: isMessage)
            }
            let block = try #require(EventBlock(entries[...], of: 3))
            #expect(block.rows == count)
            let found = block.bytes.withUnsafeBytes {
                Array(EventRows(before: block.before, position: block.position, bytes: $0))
            }
            #expect(found.map(\.position) == entries.map(\.position))
            #expect(found.map(\.sequence) == entries.map(\.sequence))
            #expect(found.map(\.isMessage) == entries.map(\.isMessage))
        }
        #expect(EventBlock([], of: 3) == nil)
    }

    /// Damaged bytes give rows that aren't there, but no trap.
    @Test func anyBytesCanBeRead() {
        var random = SeededGenerator(seed: 2)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) | (count % 3 == 0 ? 0x80 : 0) }
            let rows = bytes.withUnsafeBytes { Array(EventRows(before: .max, position: .max, bytes: $0)).count }
            #expect(rows <= count)
        }
    }
}
