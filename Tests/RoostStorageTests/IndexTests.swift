import Foundation
import RoostCore
import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// Indexes are behind the log. No answer may depend on how far behind they are.
@Suite struct IndexTests {
    private static let constant: SQLiteLog.Hash = { _, _ in 7 }
    private static let crowded: SQLiteLog.Hash = { _, key in UInt64(key.last ?? 0) % 3 }

    @Test(arguments: [0, 1, 2])
    func collidingKeysAreToldApart(way: Int) throws {
        let scratch = try Scratch()
        let hash = way == 0 ? IndexTests.constant : IndexTests.crowded
        let bounds = way == 1 ? StorageBounds() : .tiny
        var log = try SQLiteLog(scratch.path(), .full, bounds, hash: hash)
        _ = try log.commit([creation()])
        for index in 0..<40 {
            let outcome = try log.commit([message(by: Int32(index % 2), key: "k\(index / 2)")])
            #expect(position(outcome.first) == Int64(index + 2))
            if index % 7 == 0 { try log.writer.maintainAll() }
        }
        for _ in 0..<2 {
            for index in 0..<40 {
                let outcome = try log.commit([message(by: Int32(index % 2), key: "k\(index / 2)")])
                let wanted = Outcome.duplicate(
                    Position(Int64(index + 2)), SequenceNumber(Int64(index + 1)), ConversationNumber(1),
                    Timestamp(milliseconds: 1_000))
                #expect(outcome == [wanted])
            }
            log.close()
            log = try SQLiteLog(scratch.path(), .full, bounds, hash: hash)
        }
        log.close()
    }

    /// A message with more reactions than a page has room for shows the most frequent ones.
    @Test func historyShowsOnlySoManyReactions() throws {
        let scratch = try Scratch()
        var bounds = StorageBounds.tiny
        bounds.reactionsShown = 2
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        var events = [creation(), message()]
        for (label, users) in [("once", 1...1), ("often", 1...3), ("twice", 1...2)] as [(String, ClosedRange<Int32>)] {
            for user in users {
                var reaction = about(.react, 1, by: user)
                reaction.label = label
                events.append(reaction)
            }
        }
        _ = try log.commit(events)
        let shown = try log.history(1).first?.reactions
        #expect(shown?.map(\.reaction) == ["often", "twice"])
        #expect(shown?.map(\.count) == [3, 2])
    }

    /// A kill after any slice of a merge leaves files that hold everything that was committed.
    @Test func aKillAnywhereInAMergeLosesNothing() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .full, .tiny)
        defer { log.close() }
        _ = try log.commit([creation(1), creation(2)])
        var sent = 0
        for round in 0..<12 {
            _ = try log.commit((0..<3).map { message("m\(sent + $0)", in: Int32($0 % 2 + 1), key: "k\(sent + $0)") })
            sent += 3
            if round % 3 == 2 { _ = try log.writer.maintain() }
            let path = try scratch.crashCopy(as: "crash\(round)")
            // Large bounds keep the start from merging, so that the test sees what the files hold.
            let found = try SQLiteLog(path: path, durability: .full)
            #expect(try found.history(1).count + found.history(2).count == sent)
            #expect(try found.page(1).count + found.page(2).count == sent + 2)
            #expect(try found.load().head.value == Int64(sent + 2))
            let again = try found.commit((0..<sent).map { message("m\($0)", in: Int32($0 % 3 % 2 + 1), key: "k\($0)") })
            #expect(again.allSatisfy { if case .duplicate = $0 { true } else { false } })
            try found.writer.maintainAll()
            _ = try found.commit([about(.edit, 1), about(.react, 2)])
            #expect(try found.history(1).first?.editedAt == Timestamp(milliseconds: 1_000))
            found.close()
        }
    }

    @Test func commitsKeepTheTailBounded() throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        bounds.tailRows = 100
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        _ = try log.commit([creation()])
        var most = 0
        for index in 0..<200 {
            _ = try log.commit((0..<10).map { message(key: "k\(index)-\($0)") })
            most = max(most, log.statistics.unindexedRows)
        }
        // The part that is being merged, and the rows that come meanwhile.
        #expect(most >= 100)
        #expect(most <= 200)
    }

    @Test func anIdleWriterLeavesOnlyAFewRowsUnindexed() throws {
        let scratch = try Scratch()
        var bounds = StorageBounds()
        bounds.idleRows = 50
        bounds.idleEntries = 30
        bounds.keysPerPart = 50
        let log = try SQLiteLog(scratch.path(), .full, bounds)
        defer { log.close() }
        _ = try log.commit([creation()] + (0..<40).map { message(key: "k\($0)") })
        #expect(try log.writer.maintain() == false)
        #expect(log.statistics.unindexedRows == 41)
        _ = try log.commit((40..<60).map { message(key: "k\($0)") })
        // A slice of 60 keys, a slice of 61 events, and a conversation.
        var pieces = 0
        while try log.writer.maintain() { pieces += 1 }
        #expect(pieces == 3)
        #expect(log.statistics.unindexedRows == 0)
        #expect(try log.indexedKeys() == 60)
        #expect(try log.indexedRows() == 61)
        #expect(try log.history(1).count == 60)
    }

    /// Every query searches an index. None scans or sorts a table.
    @Test func everyLookUpSearchesAnIndex() throws {
        let database = try SQLiteLog(":memory:", .memory, StorageBounds()).writer.database
        let queries = [
            EventIndex.bySequenceSQL, EventIndex.byPositionSQL, EventIndex.afterSQL, KeyStatements.findSQL,
            Reactions.hasSQL, Reactions.countSQL, LogTable.findSQL, LogTable.aboveSQL,
            ReaderStatements.existsSQL, ReaderStatements.mineSQL, ReaderStatements.settingSQL,
            ReaderStatements.settingsSQL, ReaderStatements.settingAtSQL, ReaderStatements.missedSettingsSQL,
            ReaderStatements.giversSQL,
        ]
        for query in queries {
            let plan = try database.prepare("EXPLAIN QUERY PLAN " + query)
            var steps: [String] = []
            while try plan.step() { steps.append(plan.text(3)) }
            #expect(steps.count == 1 && steps[0].hasPrefix("SEARCH"), "\(query): \(steps)")
        }
    }

    /// The store keeps hashes, so they must never change. The values are those of an independent implementation that
    /// gives the paper's vector for SipHash-2-4; the sender is the first eight bytes of the input.
    @Test(arguments: [
        (Int32(0), "", UInt64(0x5cb9_6f6b_a2a4_fcfc)), (1, "a", 0x191e_ffd3_459c_7e1d),
        (0x0302_0100, "\0", 0xf43e_6d45_6f6d_8232), (5, "12345678", 0x3e87_3e8a_5456_c4fd),
        (5, "123456789", 0x5e4d_d006_6810_cb61),
    ])
    func keysAreHashedBySipHash(sender: Int32, key: String, wanted: UInt64) {
        let hash = KeyHash(key0: 0x0706_0504_0302_0100, key1: 0x0f0e_0d0c_0b0a_0908)
        var key = key
        #expect(key.withUTF8 { hash(sender, UnsafeRawBufferPointer($0)) } == wanted)
    }

    /// Several starts in a row, each on files that a kill left in the middle of a merge.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func repeatedKillsLoseNothing(seed: UInt64) throws {
        let scratch = try Scratch()
        var random = SeededGenerator(seed: seed)
        var name = "roost.db"
        var log = try SQLiteLog(scratch.path(name), .full, .tiny)
        defer { log.close() }
        _ = try log.commit([creation(1), creation(2)])
        var sent = [0, 0]
        for round in 0..<120 {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let conversation = Int.random(in: 0...1, using: &random)
                _ = try log.commit([message(in: Int32(conversation + 1), key: "k\(sent[0])-\(sent[1])")])
                sent[conversation] += 1
            }
            if Int.random(in: 0..<6, using: &random) == 0 { _ = try log.writer.maintain() }
            if Int.random(in: 0..<4, using: &random) == 0 {
                let copy = try scratch.crashCopy(of: name, as: "crash\(round)")
                log.close()
                name = "crash\(round)"
                log = try SQLiteLog(copy, .full, .tiny)
            }
            for index in 0...1 {
                let number = Int32(index + 1)
                #expect(try log.history(number).map(\.sequence.value) == (0..<sent[index]).map { Int64($0 + 1) })
                #expect(try log.page(number).count == sent[index] + 1)
            }
            // Every row is either in memory or indexed.
            let tail = log.writer.indexer.tail
            #expect(tail.floor + Int64(tail.rows) == Int64(sent[0] + sent[1] + 2))
        }
    }

    @Test func everyStoreHashesByASecretOfItsOwn() throws {
        let secrets = try (0..<2).map { _ in
            try SQLiteLog(":memory:", .memory, StorageBounds()).writer.database
                .value("SELECT value FROM meta WHERE name = 'hash_key_0'")
        }
        #expect(secrets[0] != secrets[1])
    }
}
