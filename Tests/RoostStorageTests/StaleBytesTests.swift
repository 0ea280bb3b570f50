import CSQLite
import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// No file of a store keeps a text that was erased, wherever SQLite had moved it before.
@Suite struct StaleBytesTests {
    /// `ROOST_DEEP`: as many changes as are promised, in ten stores. Otherwise a sample.
    static let isDeep = ProcessInfo.processInfo.environment["ROOST_DEEP"] != nil
    static let changes = isDeep ? 10_000 : 2_500
    static let seeds: [UInt64] = isDeep ? Array(1...10) : [1, 2]

    private func stale(_ path: String) throws -> StaleBytes {
        let database = try StoreFile.openForReading(path)
        defer { database.close() }
        return try StalePages.count(in: database) { _ in }
    }

    /// A folder with nothing but a backup.
    private func backup(of scratch: Scratch) throws -> Scratch {
        let other = try Scratch()
        _ = try StoreBackup.run(from: scratch.path(), to: other.path()) { _ in }
        return other
    }

    @Test(arguments: seeds) func noFileKeepsWhatWasErased(seed: UInt64) throws {
        let scratch = try Scratch()
        var content = RandomErasures(seed: seed)
        let log = try SQLiteLog(path: scratch.path(), durability: .normal)
        defer { log.close() }
        _ = try log.writer.commit(content.beginning())
        var done = 0
        var round = 0
        while done < StaleBytesTests.changes {
            let batch = content.batch(40)
            _ = try log.writer.commit(batch)
            done += batch.count
            round += 1
            if round % 5 == 0 { try log.writer.maintainAll() }
            guard round % 25 == 0 else { continue }
            // As when the time is up.
            log.writer.checkpoints.erasedTexts.hasten()
            try log.writer.maintainAll()
            let found = try RandomErasures.markers(in: scratch.directory)
            #expect(found.intersection(content.erased) == [], "after \(done) changes")
            #expect(content.standing.subtracting(found) == [])
        }
        #expect(content.erased.count > StaleBytesTests.changes / 4)
        let full = try backup(of: scratch)
        #expect(try RandomErasures.markers(in: full.directory) == content.standing)
        for mutation in content.removal() { _ = try log.writer.commit([mutation]) }
        log.writer.checkpoints.erasedTexts.hasten()
        try log.writer.maintainAll()
        #expect(try RandomErasures.markers(in: scratch.directory) == [])
        let empty = try backup(of: scratch)
        #expect(try RandomErasures.markers(in: empty.directory) == [])
        #expect(try stale(scratch.path()).isClean)
        #expect(try StoreVerifier.run(scratch.path(), progress: { _ in }).findings.map(\.description) == [])
    }

    /// A store as it was made before: pages written with all that SQLite leaves on them.
    private func oldStore(_ scratch: Scratch, seed: UInt64) throws -> RandomErasures {
        var content = RandomErasures(seed: seed)
        let log = try SQLiteLog(path: scratch.path("new.db"), durability: .normal)
        _ = try log.writer.commit(content.beginning())
        for _ in 0..<60 { _ = try log.writer.commit(content.batch(40)) }
        for mutation in content.removal() { _ = try log.writer.commit([mutation]) }
        try log.writer.maintainAll()
        // The write-ahead log has the pages as they are; another program's SQLite copies them.
        let path = try scratch.crashCopy(of: "new.db", as: "roost.db", suffixes: ["", "-wal"])
        log.close()
        for suffix in ["", ".lock"] { try FileManager.default.removeItem(atPath: scratch.path("new.db") + suffix) }
        var database: OpaquePointer?
        #expect(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        // Without a look at it, SQLite doesn't know that there is a write-ahead log.
        #expect(sqlite3_exec(database, "SELECT count(*) FROM log", nil, nil, nil) == SQLITE_OK)
        #expect(sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK)
        #expect(sqlite3_close(database) == SQLITE_OK)
        return content
    }

    /// One in which something is left of what was erased: where SQLite moves rows isn't the same in each run.
    private func stainedStore() throws -> Scratch {
        for seed: UInt64 in 7..<40 {
            let scratch = try Scratch()
            let content = try oldStore(scratch, seed: seed)
            let left = try RandomErasures.markers(in: scratch.directory).intersection(content.erased)
            if try !left.isEmpty && stale(scratch.path()).bytes > 100 { return scratch }
        }
        throw StorageFailure.cannotOpen(path: "", reason: "nothing is left in any of the stores")
    }

    private enum Cure: CaseIterable { case erase, reindex, backup }

    /// A store from before is found and cured.
    @Test(arguments: Cure.allCases) private func anOldStoreIsCured(cure: Cure) throws {
        let scratch = try stainedStore()
        let found = try stale(scratch.path())
        #expect(found.tablePages > 0 && found.damagedPages == 0, "\(found)")
        switch cure {
        case .erase:
            _ = try UserEraser.run(scratch.path(), user: "u40", durability: .full, now: 1_800_000_000_000) { _ in }
        case .reindex: _ = try StoreReindexer.run(scratch.path(), durability: .full) { _ in }
        case .backup:
            let backup = try backup(of: scratch)
            #expect(try RandomErasures.markers(in: backup.directory) == [])
            #expect(try stale(backup.path()).isClean)
            // The store itself is only read.
            #expect(try stale(scratch.path()) == found)
            return
        }
        #expect(try RandomErasures.markers(in: scratch.directory) == [])
        #expect(try stale(scratch.path()).isClean)
        #expect(try StoreVerifier.run(scratch.path(), progress: { _ in }).findings.map(\.description) == [])
    }

    /// Bytes outside of tables are looked at, too: the rest of the last page of a long text, free pages, and pages
    /// without a reference.
    @Test func staleBytesOfEveryKindAreFoundAndOverwritten() throws {
        let scratch = try Scratch()
        let database = try Database(path: scratch.path("a.db"))
        defer { database.close() }
        try database.execute(
            """
            PRAGMA page_size = 8192; PRAGMA secure_delete = 0;
            CREATE TABLE long (x); INSERT INTO long VALUES (hex(randomblob(8344)));
            CREATE TABLE free (x); INSERT INTO free VALUES (hex(randomblob(30000))); DROP TABLE free;
            CREATE TABLE lost (x); INSERT INTO lost VALUES (hex(randomblob(9000)));
            PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'lost'; PRAGMA writable_schema = RESET;
            """)
        let long = try database.value("SELECT x FROM long")
        let found = try StalePages.count(in: database) { _ in }
        #expect(found.unusedPages == 8 && found.damagedPages == 0, "\(found)")
        // Behind the text, on the last of its pages.
        try tear(scratch.path("a.db"))
        let torn = try StalePages.count(in: database) { _ in }
        #expect(torn.textPages == 1 && torn.unusedPages == found.unusedPages, "\(torn)")
        #expect(try StalePages.clean(database) { _ in } == torn)
        #expect(try StalePages.count(in: database) { _ in }.isClean)
        #expect(try database.value("SELECT x FROM long") == long)
        #expect(try database.value("PRAGMA freelist_count") != "0")
        try database.execute("CREATE TABLE next (x); INSERT INTO next VALUES (hex(randomblob(60000)))")
        #expect(try database.value("SELECT length(x) FROM next") == "120000")
    }

    /// Writes something behind the end of the text that the second page begins.
    private func tear(_ path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        func link(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        var cell = roost_page_cell()
        let page = Array(bytes[8_192..<16_384])
        #expect(roost_page_read_cell(page, 8_192, 0, 0, &cell) == 1)
        var (number, left) = (Int(cell.overflow), Int(cell.rest))
        while left > 8_188 { (number, left) = (link((number - 1) * 8_192), left - 8_188) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64((number - 1) * 8_192 + 4 + left))
        try file.write(contentsOf: Data("squirrel".utf8))
        try file.close()
    }

    /// Cells that don't fill the page exactly are another kind of page, or damage: it is written as it is.
    @Test func onlyPagesOfTablesAreChanged() throws {
        let scratch = try Scratch()
        let database = try Database(path: scratch.path("a.db"))
        try database.execute("PRAGMA page_size = 8192; CREATE TABLE t (x); INSERT INTO t VALUES ('one'), ('two')")
        database.close()
        let bytes = [UInt8](try Data(contentsOf: scratch.directory.appendingPathComponent("a.db")))
        var page = Array(bytes[8_192..<16_384])
        var clean = [UInt8](repeating: 1, count: 8_192)
        #expect(roost_page_clean(page, 8_192, 0, &clean) == 1 && clean == page)
        page[4_000] = 7
        #expect(roost_page_clean(page, 8_192, 0, &clean) == 1 && clean[4_000] == 0)
        for (offset, value) in [(0, 12), (1, 31), (3, 1), (4, 3), (5, 0), (6, 1), (7, 1), (8, 255)] as [(Int, UInt8)] {
            var odd = page
            odd[offset] = value
            #expect(roost_page_clean(odd, 8_192, 0, &clean) == 0, "\(offset)")
        }
        // Any bytes at all.
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var noise = (0..<512).map { _ in UInt8.random(in: 0...255, using: &random) }
            noise[0] = [2, 5, 10, 13].randomElement() ?? 2
            noise[3] = 0
            _ = roost_page_clean(noise, 512, 0, &clean)
        }
    }
}
