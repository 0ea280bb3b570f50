import RoostTestKit
import Testing

@testable import RoostStorage

/// A filter may say "perhaps" for a missing key, but never "no" for a stored one.
@Suite struct KeyFilterTests {
    /// A full filter is wrong for about one hash in 6,000, whatever its size.
    @Test(arguments: [1_000, 50_000, 1 << 19])
    func aFullFilterDeniesNothingThatItHolds(keys: Int) {
        var filter = KeyFilter(keys: keys)
        var random = SeededGenerator(seed: UInt64(keys))
        let hashes = (0..<keys).map { _ in random.next() }
        #expect(!hashes.contains { filter.mayHold($0) })
        for hash in hashes { filter.add(hash) }
        #expect(hashes.allSatisfy { filter.mayHold($0) })
        let doubted = (0..<300_000).count { _ in filter.mayHold(random.next()) }
        #expect((10..<150).contains(doubted))
        #expect(filter.byteCount <= keys * KeyFilter.bitsPerKey / 8)
    }

    @Test func itComesBackFromItsBytes() throws {
        var filter = KeyFilter(keys: 100)
        var random = SeededGenerator(seed: 9)
        let hashes = (0..<100).map { _ in random.next() } + [0, .max]
        for hash in hashes { filter.add(hash) }
        let bytes = filter.withBytes { Array($0) }
        let again = try #require(bytes.withUnsafeBytes { KeyFilter(bytes: $0) })
        #expect(hashes.allSatisfy { again.mayHold($0) })
        #expect(again.withBytes { Array($0) } == bytes)
        #expect(Array(bytes.dropLast()).withUnsafeBytes { KeyFilter(bytes: $0) } == nil)
        #expect([UInt8]().withUnsafeBytes { KeyFilter(bytes: $0) } == nil)
    }
}
