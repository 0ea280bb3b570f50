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

    private func index(
        _ database: Database, size: Int, parts: Int64 = 128, least: Int = 1, rows: Int = 1_000_000,
        _ reporter: StorageReporter = StorageReporter()
    ) throws -> KeyIndex {
        var bounds = StorageBounds()
        bounds.keysPerGeneration = size
        bounds.partsPerGeneration = parts
        bounds.keysPerPart = least
        bounds.rowsPerPart = rows
        return try KeyIndex(database, lookUps: database, bounds: bounds, reporter: reporter) { sender, _ in
            UInt64(sender)
        }
    }

    /// Returns whether there was anything to merge.
    @discardableResult
    private func merge(_ index: KeyIndex, upTo: Int64) throws -> Bool {
        guard let part = try index.freeze(upTo: upTo) else { return false }
        var rest = part.entries[...]
        while !rest.isEmpty {
            try index.write(rest.prefix(KeyBlock.keysMax), of: part.number)
            rest = rest.dropFirst(KeyBlock.keysMax)
        }
        try index.finish(part, upTo: upTo)
        index.dropFrozen()
        return true
    }

    private func holds(_ hash: UInt64, _ position: Int64, _ index: KeyIndex) throws -> Bool {
        let found: Bool? = try index.first(hash) { $0 == position ? true : nil }
        // The answer for a whole batch never denies what is there.
        var mayBeOld = [false]
        index.mark([hash], in: &mayBeOld)
        if found != nil { #expect(!index.isNew(hash, mayBeOld: mayBeOld[0])) }
        return found ?? false
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyKeyIsFoundWhereverItIs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let database = try database()
        defer { database.close() }
        var index = try index(database, size: 500)
        var hashes: [UInt64] = []
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 1...200, using: &random) {
                hashes.append(random.next())
                index.add(hashes[hashes.count - 1], at: Int64(hashes.count))
            }
            if round % 3 != 0 { try merge(index, upTo: Int64(hashes.count)) }
            if round % 7 == 6 {
                try merge(index, upTo: Int64(hashes.count))
                index = try self.index(database, size: 500)
            }
            for (offset, hash) in hashes.enumerated() where offset % 5 == round % 5 {
                #expect(try holds(hash, Int64(offset + 1), index), "round \(round)")
                #expect(try !holds(hash ^ 1, Int64(offset + 1), index))
            }
        }
        try merge(index, upTo: Int64(hashes.count))
        #expect(index.storedKeys == hashes.count)
        #expect(Set(try database.keyEntries().map(\.position)) == Set(1...Int64(hashes.count)))
        // A generation ends with the first part that fills it; a part has at most 400 keys here.
        let largest = Int(try database.value("SELECT max(keys) FROM key_generation") ?? "") ?? 0
        #expect((500..<900).contains(largest))
        #expect(index.filterBytes > 0)
    }

    /// More keys with one hash than a block has room for.
    @Test func oneHashMayFillSeveralBlocks() throws {
        let database = try database()
        defer { database.close() }
        let index = try index(database, size: 10_000)
        for position in 1...300 { index.add(UInt64(position % 2), at: Int64(position)) }
        try merge(index, upTo: 300)
        for position in 1...300 { #expect(try holds(UInt64(position % 2), Int64(position), index)) }
        #expect(try !holds(2, 1, index))
    }

    /// Small parts would make look-ups slow, so a few keys stay in memory, but not the keys of many rows.
    @Test func fewKeysStayInMemory() throws {
        let database = try database()
        defer { database.close() }
        let index = try index(database, size: 1_000, least: 10, rows: 50)
        for number in 1...9 { index.add(UInt64(number), at: Int64(number)) }
        #expect(try !merge(index, upTo: 20))
        #expect(index.floor == 0)
        #expect(try holds(9, 9, index))
        index.add(10, at: 21)
        #expect(try merge(index, upTo: 21))
        #expect(index.floor == 21)
        index.add(11, at: 22)
        #expect(try !merge(index, upTo: 70))
        #expect(try merge(index, upTo: 71))
        #expect(index.storedKeys == 11)
        // Without any key, only the floor rises.
        #expect(try merge(index, upTo: 200))
        #expect(index.floor == 200)
        #expect(try database.value("SELECT parts FROM key_generation") == "2")
    }

    /// A generation of small parts ends before its keys are many.
    @Test func aGenerationHasFewParts() throws {
        let database = try database()
        defer { database.close() }
        let index = try index(database, size: 1_000, parts: 4)
        for number in 1...10 {
            index.add(UInt64(number) << 40, at: Int64(number))
            try merge(index, upTo: Int64(number))
        }
        #expect(try database.value("SELECT group_concat(parts) FROM key_generation") == "4,4,2")
        for number in 1...10 { #expect(try holds(UInt64(number) << 40, Int64(number), index)) }
    }

    /// The rest of a killed merge in the table is removed by the next one.
    @Test func aMergeThatWasCutShortIsDoneAgain() throws {
        let database = try database()
        defer { database.close() }
        let index = try index(database, size: 1_000)
        for number in 1...10 { index.add(UInt64(number), at: Int64(number)) }
        let part = try #require(try index.freeze(upTo: 10))
        try index.write(part.entries.prefix(6), of: part.number)
        let again = try self.index(database, size: 1_000)
        #expect(again.storedKeys == 0)
        for number in 1...12 { again.add(UInt64(number), at: Int64(number)) }
        try merge(again, upTo: 12)
        #expect(again.storedKeys == 12)
        #expect(try database.keyEntries().map(\.position) == Array(1...12))
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

    /// A look-up that needs a damaged block fails: the key might be in it.
    @Test func aDamagedBlockIsNotTakenForNoKey() throws {
        let database = try database()
        defer { database.close() }
        let index = try index(database, size: 1_000)
        for number in 1...20 { index.add(UInt64(number) << 40, at: Int64(number)) }
        try merge(index, upTo: 20)
        try database.execute("UPDATE key_block SET keys = zeroblob(length(keys))")
        #expect(throws: StorageFailure.self) { try holds(UInt64(3) << 40, 3, index) }
        #expect(try !holds(UInt64(99) << 40, 3, index))
        // A filter made from what is left would deny it.
        let reporter = StorageReporter()
        let again = try self.index(database, size: 1_000, reporter)
        #expect(reporter.counts[.damagedIndex] == 1)
        #expect(throws: StorageFailure.self) { try holds(UInt64(3) << 40, 3, again) }
    }

    /// The order of the table, for hashes of either sign.
    @Test(arguments: [0, 1, 2, 63, 1_000, 5_000])
    func keysComeInTheOrderOfTheTable(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        var tail = KeyTail()
        var all: [KeyEntry] = []
        for position in 0..<count {
            let hash = position % 7 == 0 ? random.next() % 3 : random.next()
            all.append(KeyEntry(hash: hash, position: Int64(position + 1)))
            tail.add(all[position])
        }
        #expect(tail.freeze() == all.sorted(by: KeyEntry.isBefore))
        for entry in all.prefix(100) {
            #expect(tail.first(entry.hash) { $0 == entry.position ? true : nil } == true)
        }
    }
}
