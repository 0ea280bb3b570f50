import RoostCore
import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// The runs of the key index: few however many keys there are, and each key in exactly one, at every moment.
@Suite struct KeyIndexTests {
    private func database() throws -> Database {
        let database = try Database(path: ":memory:")
        try Migration.apply(to: database)
        return database
    }

    private func add(_ entries: [KeyEntry], to index: inout KeyIndex) throws {
        let spread = try index.begin(entries)
        for block in spread.blocks { try index.write(spread.entries(of: block), to: block) }
        try index.finish(spread.blocks.lowerBound, keys: entries.count)
    }

    private func holds(_ entry: KeyEntry, _ index: KeyIndex) throws -> Bool {
        try index.first(entry.hash) { $0 == entry.position ? true : nil } ?? false
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyKeyIsInOneRunAfterEveryMove(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let database = try database()
        defer { database.close() }
        var index = try KeyIndex(database, keysPerBlock: 8)
        var all: [KeyEntry] = []
        for round in 0..<60 {
            let new = (0..<Int.random(in: 1...150, using: &random)).map {
                KeyEntry(hash: random.next(), position: Int64(all.count + $0 + 1))
            }
            all += new
            try add(new, to: &index)
            for _ in 0..<Int.random(in: 0...20, using: &random) { try index.move(keys: 40) }
            let found = try index.entries(of: 0, width: 0).map(\.position).sorted()
            #expect(found == all.map(\.position), "round \(round)")
            for _ in 0..<20 {
                guard let one = all.randomElement(using: &random) else { continue }
                #expect(try holds(one, index))
                #expect(try !holds(KeyEntry(hash: one.hash ^ 1, position: one.position), index))
            }
        }
        while index.isMoving { try index.move(keys: 1_000) }
        #expect(index.keys == all.count)
    }

    /// Seven of a level at rest, and levels as the logarithm of eight.
    @Test func thereAreFewRunsAndBlocksAreFull() throws {
        let database = try database()
        defer { database.close() }
        var index = try KeyIndex(database, keysPerBlock: 8)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<255 {
            try add((0..<64).map { _ in KeyEntry(hash: random.next(), position: 1) }, to: &index)
            try index.move(keys: 64 * 8)
            #expect(index.runs.count <= 28)
        }
        while index.isMoving { try index.move(keys: 1_000) }
        let wanted = [(64, 7), (512, 7), (4_096, 3)].flatMap { Array(repeating: $0.0, count: $0.1) }
        #expect(index.runs.map(\.keys) == wanted)
        let blocks = Int(try database.value("SELECT count(*) FROM key_block") ?? "") ?? 0
        #expect(blocks <= 255 * 64 / 8)
        try index.move(keys: 1_000)
        #expect(index.debt == 0)
    }

    /// A run that was being made of the tail goes, one that was being made of others goes on.
    @Test func anotherStartGoesOnWhereAKillWas() throws {
        let database = try database()
        defer { database.close() }
        var index = try KeyIndex(database, keysPerBlock: 4)
        let all = (0..<320).map { KeyEntry(hash: UInt64($0) &* 0x9e37_79b9_7f4a_7c15, position: Int64($0 + 1)) }
        for part in 0..<8 { try add(Array(all[part * 40..<part * 40 + 40]), to: &index) }
        try index.move(keys: 257)
        let spread = try index.begin([KeyEntry(hash: 1, position: 1_000), KeyEntry(hash: .max, position: 1_001)])
        for block in spread.blocks { try index.write(spread.entries(of: block), to: block) }
        #expect(index.isMoving)
        var again = try KeyIndex(database, keysPerBlock: 4)
        try again.dropUnfinished()
        for _ in 0..<40 {
            #expect(try again.entries(of: 0, width: 0).map(\.position).sorted() == all.map(\.position))
            try again.move(keys: 20)
        }
        #expect(!again.isMoving && again.runs.count == 1)
        try again.remove(all[7])
        try again.remove(KeyEntry(hash: all[8].hash, position: 2_000))
        #expect(try !holds(all[7], again))
        #expect(try holds(all[8], again))
        #expect(try again.entries(of: 0, width: 0).count == 319)
    }

    @Test func aKeyInTheWrongBlockIsAnError() throws {
        let database = try database()
        defer { database.close() }
        var index = try KeyIndex(database, keysPerBlock: 1)
        for part in 0..<8 {
            try add((0..<4).map { KeyEntry(hash: UInt64($0) << 62, position: Int64(part * 4 + $0 + 1)) }, to: &index)
        }
        try database.execute("UPDATE key_block SET keys = (SELECT max(keys) FROM key_block)")
        #expect(throws: StorageFailure.self) { while index.isMoving { try index.move(keys: 32) } }
    }
}
