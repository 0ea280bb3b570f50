import CSQLite

/// Bytes in a store's file that belong to no row: copies that SQLite left behind when it moved a row to another page,
/// and pages that nothing leads to. They may be of rows that were erased since.
public struct StaleBytes: Sendable, Equatable {
    /// Pages of tables and indexes that have some beside their rows.
    public var tablePages = 0
    /// Pages of long texts that have some behind the text.
    public var textPages = 0
    /// Free pages, and pages that nothing leads to, that aren't empty.
    public var unusedPages = 0
    /// All bytes that aren't zero in them.
    public var bytes: Int64 = 0
    /// Pages that can't be read as SQLite writes them, so that nothing is known of them.
    public var damagedPages = 0
    /// Pages of the file.
    public var pages = 0

    /// Looks for them in the store at `path`. Changes nothing, and may run beside a relay.
    /// - Throws: `ToolFailure` or `StorageFailure` if it can't be read at all, or is no store.
    public static func find(in path: String, progress: @escaping ToolProgress.Report) throws -> StaleBytes {
        let database = try StoreFile.openForReading(path)
        defer { database.close() }
        return try StalePages.count(in: database, progress)
    }

    /// Nothing was found, and everything could be read.
    public var isClean: Bool { stalePages == 0 && damagedPages == 0 }

    /// Pages with stale bytes.
    public var stalePages: Int { tablePages + textPages + unusedPages }
}

/// Walks over all pages of a database: from the roots of its tables down, along its long texts and its list of free
/// pages. Counts what is stale, and overwrites it if it is asked to. On the thread of its connection.
struct StalePages {
    /// The page that SQLite's locks are in; it is never used (sqlite.org/fileformat2.html#the_lock_byte_page).
    private static let lockOffset = 1 << 30
    /// Number of tries to take a snapshot, because the write-ahead log may begin anew meanwhile.
    private static let attempts = 8

    private let snapshot: PageSnapshot
    private let isCleaning: Bool
    private let progress: ToolProgress.Report
    private let count: UInt32
    private var seen: [Bool]
    private var seenCount = 0
    private var page: [UInt8]
    private var clean: [UInt8]
    private var found = StaleBytes()

    /// Counts what is stale. May run beside a relay: what is in the write-ahead log isn't looked at.
    static func count(in database: Database, _ progress: @escaping ToolProgress.Report) throws -> StaleBytes {
        try run(on: database, isCleaning: false, progress)
    }

    /// Overwrites stale bytes, syncs the file, and returns what they were. No other process may write to the store, and
    /// its write-ahead log has to be empty. The bytes of a page in use stay, so nothing is lost if this is cut short.
    static func clean(_ database: Database, _ progress: @escaping ToolProgress.Report) throws -> StaleBytes {
        // No page in memory may be written later as it is now.
        sqlite3_db_release_memory(database.handle)
        return try run(on: database, isCleaning: true, progress)
    }

    private static func run(
        on database: Database, isCleaning: Bool, _ progress: @escaping ToolProgress.Report
    ) throws -> StaleBytes {
        for attempt in 1...attempts {
            try database.execute("BEGIN")
            defer { database.rollBack() }
            do {
                let roots = try self.roots(of: database)
                var pages = try StalePages(PageSnapshot(of: database), isCleaning: isCleaning, progress)
                return try pages.walk(from: roots)
            } catch is PageSnapshot.Outdated where attempt < attempts {}
        }
        throw StorageFailure.inconsistent("the write-ahead log begins anew all the time")
    }

    private static func roots(of database: Database) throws -> [UInt32] {
        let query = try database.prepare("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
        var roots: [UInt32] = [1]
        while try query.step() { roots.append(UInt32(clamping: query.int64(0))) }
        return roots
    }

    private init(_ snapshot: PageSnapshot, isCleaning: Bool, _ progress: @escaping ToolProgress.Report) throws {
        self.snapshot = snapshot
        self.isCleaning = isCleaning
        self.progress = progress
        count = try snapshot.count
        found.pages = Int(count)
        seen = [Bool](repeating: false, count: Int(count) + 1)
        page = [UInt8](repeating: 0, count: snapshot.pageBytes)
        clean = page
    }

    private mutating func walk(from roots: [UInt32]) throws -> StaleBytes {
        guard count > 0 else { return found }
        try walkFreePages()
        for root in roots { try walkTree(from: root) }
        // If a page is damaged, what it leads to isn't known: then no page may be taken for unused.
        if found.damagedPages == 0 { try lookAtTheRest() }
        if isCleaning, found.stalePages > 0 { try snapshot.sync() }
        return found
    }

    /// Reads a page that nothing has led to before. Returns false, and counts it as damaged, if there is none.
    private mutating func take(_ number: UInt32) throws -> Bool {
        guard number > 0, number <= count, !seen[Int(number)] else {
            found.damagedPages += 1
            return false
        }
        seen[Int(number)] = true
        seenCount += 1
        if seenCount % 4_096 == 1 {
            progress(ToolProgress("looking for stale bytes", Int64(seenCount), of: Int64(count)))
        }
        if try snapshot.read(number, into: &page) { return true }
        found.damagedPages += 1
        return false
    }

    /// A number of four bytes on the page that was read last.
    private func link(at offset: Int) -> UInt32 {
        page[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Counts what differs between the page that was read last and what is in use of it, which is in `clean`.
    private mutating func settle(_ number: UInt32, _ kind: WritableKeyPath<StaleBytes, Int>) throws {
        // The next checkpoint writes it.
        guard !snapshot.isInLog(number), page != clean else { return }
        found[keyPath: kind] += 1
        for index in page.indices where page[index] != clean[index] { found.bytes += 1 }
        if isCleaning { try snapshot.write(clean, to: number) }
    }

    // MARK: Kinds of pages

    private mutating func walkFreePages() throws {
        guard try snapshot.read(1, into: &page) else { return }
        var trunk = link(at: 32)
        while trunk != 0, try take(trunk) {
            let next = link(at: 0)
            let leaves = Int(link(at: 4))
            guard leaves <= snapshot.pageBytes / 4 - 2 else {
                found.damagedPages += 1
                return
            }
            let numbers = (0..<leaves).map { link(at: 8 + 4 * $0) }
            clean = page
            // Numbers of pages that were free before say nothing.
            for offset in stride(from: 8 + 4 * leaves, to: snapshot.pageBytes, by: 4) where link(at: offset) > count {
                for index in offset..<(offset + 4) { clean[index] = 0 }
            }
            try settle(trunk, \.unusedPages)
            for number in numbers where try take(number) { try settleEmpty(number) }
            trunk = next
        }
    }

    private mutating func settleEmpty(_ number: UInt32) throws {
        for index in clean.indices { clean[index] = 0 }
        try settle(number, \.unusedPages)
    }

    private mutating func walkTree(from root: UInt32) throws {
        var waiting = [root]
        while let number = waiting.popLast() {
            guard try take(number) else { continue }
            let header: Int32 = number == 1 ? 100 : 0
            let size = Int32(clamping: snapshot.pageBytes)
            guard roost_page_clean(page, size, header, &clean) != 0 else {
                found.damagedPages += 1
                continue
            }
            try settle(number, \.tablePages)
            let isInner = page[Int(header)] < 8
            var texts: [(first: UInt32, bytes: UInt64)] = []
            for index in 0..<roost_page_cells(page, header) {
                var cell = roost_page_cell()
                guard roost_page_read_cell(page, size, header, index, &cell) != 0 else { continue }
                if isInner { waiting.append(cell.child) }
                if cell.overflow != 0 { texts.append((cell.overflow, cell.rest)) }
            }
            if isInner { waiting.append(link(at: Int(header) + 8)) }
            for text in texts { try walkText(from: text.first, bytes: text.bytes) }
        }
    }

    private mutating func walkText(from first: UInt32, bytes: UInt64) throws {
        let room = UInt64(snapshot.pageBytes - 4)
        var (number, left) = (first, bytes)
        while left > 0, try take(number) {
            clean = page
            let used = min(left, room)
            for index in (4 + Int(used))..<snapshot.pageBytes { clean[index] = 0 }
            try settle(number, \.textPages)
            left -= used
            number = link(at: 0)
        }
    }

    private mutating func lookAtTheRest() throws {
        let lockPage = UInt32(clamping: StalePages.lockOffset / snapshot.pageBytes + 1)
        for number in 1...count where !seen[Int(number)] && number != lockPage {
            if try take(number) { try settleEmpty(number) }
        }
    }
}
