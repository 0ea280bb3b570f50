import RoostCore
import RoostProtocol
import Testing

@testable import RoostStorage

/// A filter may doubt what isn't there, but must never deny what is.
@Suite struct KeyFilterTests {
    @Test func itDeniesOnlyWhatItHasCovered() {
        var filter = KeyFilter(bits: 1 << 12)
        #expect(filter.mayHold(5))
        filter.add(5)
        filter.add(UInt64(bitPattern: -9))
        filter.cover(upTo: 5)
        #expect(filter.mayHold(5) && filter.mayHold(UInt64(bitPattern: -9)))
        #expect(!filter.mayHold(4))
        #expect(!filter.mayHold(UInt64(bitPattern: Int64.min)))
        #expect(filter.mayHold(6) && filter.mayHold(UInt64(bitPattern: Int64.max)))
        filter.cover(upTo: .max)
        #expect(filter.next == nil)
        #expect(!filter.mayHold(6))
    }

    @Test func itGrowsBeforeItIsCrowdedAndDoubtsFew() {
        var filter = KeyFilter(bits: 1 << 10)
        filter.coverAll()
        var random = SystemRandomNumberGenerator()
        let hashes = (0..<20_000).map { _ in random.next() }
        for hash in hashes { filter.add(hash) }
        filter.growIfCrowded()
        #expect(filter.next == .min)
        for hash in hashes { filter.add(hash) }
        filter.coverAll()
        filter.growIfCrowded()
        #expect(filter.next == nil)
        #expect(hashes.allSatisfy { filter.mayHold($0) })
        let doubted = (0..<20_000).count { _ in filter.mayHold(random.next()) }
        #expect(doubted < 2_500)
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
        #expect(log.writer.filter.next == .min)
        for round in 0..<60 {
            let outcomes = try log.commit((0..<100).map { message(key: "k\($0)") })
            #expect(outcomes.allSatisfy { if case .duplicate = $0 { true } else { false } })
            #expect((log.writer.filter.next == nil) == (round >= 50))
        }
    }
}
