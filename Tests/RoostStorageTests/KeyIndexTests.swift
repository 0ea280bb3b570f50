import RoostCore
import RoostTestKit
import RoostWire
import Synchronization
import Testing

@testable import RoostStorage

/// The generations of the key index. Each key is in exactly one of them, and is found wherever it is.
@Suite struct KeyIndexTests {
    private func database() throws -> Database {
        let database = try Database(path: ":memory:")
        try Migration.apply(to: database)
        return database
    }

    private func index(_ database: Database, size: Int, _ reporter: StorageReporter = StorageReporter()) throws
        -> KeyIndex
    {
        try KeyIndex(database, lookUps: database, keysPerGeneration: size, reporter: reporter) { sender, _ in
            UInt64(sender)
        }
    }

    private func merge(_ index: KeyIndex, upTo: Int64) throws {
        let part = index.freeze()
        try index.write(part[...])
        try index.finish(part, upTo: upTo)
        index.dropFrozen()
    }

    private func holds(_ hash: UInt64, _ position: Int64, _ index: KeyIndex) throws -> Bool {
        try index.first(hash) { $0 == position ? true : nil } ?? false
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyKeyIsFoundWhereverItIs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let database = try database()
        defer { database.close() }
        var index = try index(database, size: 200)
        var hashes: [UInt64] = []
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 1...80, using: &random) {
                hashes.append(random.next())
                index.add(hashes[hashes.count - 1], at: Int64(hashes.count))
            }
            if round % 3 != 0 { try merge(index, upTo: Int64(hashes.count)) }
            if round % 7 == 6 {
                try merge(index, upTo: Int64(hashes.count))
                index = try self.index(database, size: 200)
            }
            for (offset, hash) in hashes.enumerated() where offset % 5 == round % 5 {
                #expect(try holds(hash, Int64(offset + 1), index), "round \(round)")
                #expect(try !holds(hash ^ 1, Int64(offset + 1), index))
            }
        }
        try merge(index, upTo: Int64(hashes.count))
        #expect(index.storedKeys == hashes.count)
        #expect(try database.value("SELECT count(*) FROM key_hash") == "\(hashes.count)")
        // A generation ends with the first part that fills it. A part has at most 160 keys here.
        let largest = Int(try database.value("SELECT max(keys) FROM key_generation") ?? "") ?? 0
        #expect((200..<360).contains(largest))
        #expect(index.filterBytes > 0)
    }

    @Test func aRemovedKeyIsGoneFromItsGeneration() throws {
        let database = try database()
        defer { database.close() }
        let index = try index(database, size: 10)
        for number in 1...50 {
            index.add(UInt64(number) << 40, at: Int64(number))
            if number % 5 == 0 { try merge(index, upTo: Int64(number)) }
        }
        for number in [1, 10, 11, 37, 50] { try index.remove(UInt64(number) << 40, at: Int64(number)) }
        try index.remove(UInt64(2) << 40, at: 3)
        #expect(try database.value("SELECT count(*) FROM key_hash") == "45")
        #expect(try !holds(UInt64(37) << 40, 37, index))
        #expect(try holds(UInt64(2) << 40, 2, index))
    }

    /// The next merge writes the rows again that a killed merge left in the table. They count once.
    @Test func aMergeThatWasCutShortIsDoneAgain() throws {
        let database = try database()
        defer { database.close() }
        let index = try index(database, size: 1_000)
        for number in 1...10 { index.add(UInt64(number), at: Int64(number)) }
        try index.write(index.freeze().prefix(6))
        let again = try self.index(database, size: 1_000)
        for number in 1...12 { again.add(UInt64(number), at: Int64(number)) }
        try merge(again, upTo: 12)
        #expect(again.storedKeys == 12)
        #expect(try database.value("SELECT count(*) FROM key_hash") == "12")
    }

    @Test(arguments: [
        "filter = zeroblob(length(filter))", "filter = x'00'", "checksum = checksum + 1", "filter = NULL",
    ])
    func aDamagedFilterIsMadeAgain(damage: String) throws {
        let database = try database()
        defer { database.close() }
        let index = try index(database, size: 10)
        for number in 1...25 {
            index.add(UInt64(number) << 32, at: Int64(number))
            if number % 5 == 0 { try merge(index, upTo: Int64(number)) }
        }
        try database.execute("UPDATE key_generation SET \(damage) WHERE filter IS NOT NULL")
        let reporter = StorageReporter()
        let again = try self.index(database, size: 10, reporter)
        #expect(reporter.counts[.damagedIndex] == 2)
        for number in 1...25 { #expect(try holds(UInt64(number) << 32, Int64(number), again)) }
    }
}
