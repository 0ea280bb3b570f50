import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// A filter may doubt what isn't there, but must never deny what is.
@Suite struct KeyFilterTests {
    @Test func itDeniesOnlyWhatItHasCovered() {
        var filter = KeyFilter()
        #expect(filter.mayHold(5))
        filter.add(5)
        filter.add(9)
        filter.cover(below: 6)
        #expect(filter.mayHold(5) && filter.mayHold(9))
        #expect(!filter.mayHold(4))
        #expect(!filter.mayHold(0))
        #expect(filter.mayHold(6) && filter.mayHold(.max))
        filter.cover(below: nil)
        #expect(filter.next == nil)
        #expect(!filter.mayHold(6) && filter.mayHold(9))
    }

    /// Once it has grown by parts, and once it had its size from the beginning.
    @Test(arguments: [0, 600_000])
    func itGrowsBeforeItIsCrowdedAndDoubtsFew(keys: Int) {
        var filter = KeyFilter(keys: keys)
        filter.cover(below: nil)
        var random = SystemRandomNumberGenerator()
        let hashes = (0..<600_000).map { _ in random.next() }
        for hash in hashes { filter.add(hash) }
        #expect(hashes.allSatisfy { filter.mayHold($0) })
        let doubted = (0..<200_000).count { _ in filter.mayHold(random.next()) }
        #expect(doubted < 120)
    }

    /// After a start the filter is filled by slices; a key is found before, during and after.
    @Test func keysAreFoundWhileItFills() throws {
        let scratch = try Scratch()
        var bounds = StorageBounds.tiny
        var log = try SQLiteLog(scratch.path(), .full, bounds)
        _ = try log.commit([creation()] + (0..<100).map { message(key: "k\($0)") })
        try log.writer.maintainAll()
        log.close()
        bounds.tailRows = 1_000
        bounds.idleRows = 1_000
        log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        #expect(log.writer.filter.next == 0)
        for round in 0..<70 {
            let outcomes = try log.commit((0..<100).map { message(key: "k\($0)") })
            #expect(outcomes.allSatisfy { if case .duplicate = $0 { true } else { false } })
            // About two keys a commit: 64 slices.
            #expect((log.writer.filter.next == nil) == (round >= 63))
        }
    }
}
