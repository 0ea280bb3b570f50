import CSQLite

/// The pages of a store as they are after one commit, read from the files through SQLite's file layer. The connection
/// has to be in a transaction that has read, so that no checkpoint writes a page that isn't in the write-ahead log. On
/// the thread of the connection.
struct PageSnapshot {
    /// The write-ahead log began anew while it was read: another snapshot is needed.
    struct Outdated: Error {}

    let pageBytes: Int
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods
    private let log: WALFile?
    /// The newest frame of each page that is in the write-ahead log.
    private let frames: [UInt32: Int]

    init(of database: Database) throws {
        guard let file = try database.file(SQLITE_FCNTL_FILE_POINTER, for: "reading pages"),
            let methods = file.pointee.pMethods?.pointee
        else { throw StorageFailure.inconsistent("the store has no file") }
        self.file = file
        self.methods = methods
        pageBytes = Int(try database.value("PRAGMA page_size") ?? "") ?? Database.pageBytes
        let log = pageBytes == Database.pageBytes ? try WALFile(of: database) : nil
        self.log = log
        frames = try log.map { try PageSnapshot.frames(of: $0) } ?? [:]
    }

    private static func frames(of log: WALFile) throws -> [UInt32: Int] {
        guard let salts = log.salts else { return [:] }
        var (found, newest): ([UInt32: Int], [UInt32: Int]) = ([:], [:])
        var sums = salts.checksum
        var frame = 0
        while frame < log.frames, let next = try log.checksum(of: frame, after: sums) {
            sums = next
            let header = try log.header(of: frame)
            newest[header.page] = frame
            if header.isCommit {
                found.merge(newest) { $1 }
                newest.removeAll(keepingCapacity: true)
            }
            frame += 1
        }
        return found
    }

    /// Pages of the database.
    var count: UInt32 {
        get throws {
            var first = [UInt8](repeating: 0, count: pageBytes)
            guard try read(1, into: &first) else { return 0 }
            return first.withUnsafeBufferPointer { $0.baseAddress.map { roost_page_link($0 + 28) } ?? 0 }
        }
    }

    /// Whether the newest form of a page is in the write-ahead log, and the one in the database is about to go.
    func isInLog(_ page: UInt32) -> Bool { frames[page] != nil }

    /// Reads a page as it is after the commit. Returns false if it isn't there.
    func read(_ page: UInt32, into bytes: inout [UInt8]) throws -> Bool {
        guard let log, let frame = frames[page] else { return try readStored(page, into: &bytes) }
        try log.read(frame, into: &bytes)
        let header = try log.header(of: frame)
        guard header.page == page, header.salts == log.salts?.values else { throw Outdated() }
        return true
    }

    /// Reads a page as the database has it, without the write-ahead log. Returns false if it isn't there.
    func readStored(_ page: UInt32, into bytes: inout [UInt8]) throws -> Bool {
        guard page > 0, let read = methods.xRead else { return false }
        let code = read(file, &bytes, Int32(clamping: bytes.count), offset(of: page))
        // SQLITE_IOERR_SHORT_READ: beyond the end of the file.
        if code == SQLITE_IOERR | (2 << 8) { return false }
        try check(code, "reading pages")
        return true
    }

    /// Writes a page into the database. Only for a store that no other process has open, and a page that isn't in the
    /// write-ahead log; its bytes in use must stay as they are.
    func write(_ bytes: [UInt8], to page: UInt32) throws {
        guard let write = methods.xWrite else { return }
        try check(write(file, bytes, Int32(clamping: bytes.count), offset(of: page)), "cleaning pages")
    }

    func sync() throws {
        guard let sync = methods.xSync else { return }
        try check(sync(file, SQLITE_SYNC_FULL), "cleaning pages")
    }

    private func offset(of page: UInt32) -> Int64 { Int64(page - 1) * Int64(pageBytes) }

    private func check(_ code: Int32, _ operation: String) throws {
        guard code == SQLITE_OK else {
            throw StorageFailure.failed(
                operation: operation, code: code, message: String(cString: sqlite3_errstr(code)))
        }
    }
}
