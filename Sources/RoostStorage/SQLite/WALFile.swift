import CSQLite

/// The file of a write-ahead log, read through SQLite's file layer.
struct WALFile {
    struct Salts {
        var values: UInt64
        /// The checksum of the header, with which that of the first frame begins.
        var checksum: (UInt32, UInt32)
    }

    struct Header {
        var salts: UInt64
        /// The page that follows.
        var page: UInt32
        /// Whether this is the last frame of a commit.
        var isCommit: Bool
    }

    private static let headerBytes: Int64 = 32
    private static let frameHeaderBytes = 24
    private static let magic: UInt32 = 0x377F_0682

    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods
    private let frameBytes: Int
    /// Whether checksums are of numbers with the highest byte first.
    private let isBigEndian: Bool
    /// Whole frames that fit into the file, valid or not.
    let frames: Int
    /// nil if the header isn't valid: then SQLite takes nothing, and there is nothing to compare frames with.
    let salts: Salts?

    /// nil if there is no log.
    init?(of database: Database) throws {
        var found: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found) == SQLITE_OK,
            let file = found, let methods = file.pointee.pMethods?.pointee, let fileSize = methods.xFileSize
        else { return nil }
        var size: Int64 = 0
        guard fileSize(file, &size) == SQLITE_OK, size >= WALFile.headerBytes else { return nil }
        self.file = file
        self.methods = methods
        var head = [UInt8](repeating: 0, count: Int(WALFile.headerBytes))
        try WALFile.read(file, methods, 0, into: &head)
        let magic = WALFile.number(head, 0)
        isBigEndian = magic == WALFile.magic | 1
        frameBytes = WALFile.frameHeaderBytes + Database.pageBytes
        frames = Int(clamping: (size - WALFile.headerBytes) / Int64(frameBytes))
        let checksum = WALFile.sum(head[0..<24], isBigEndian, (0, 0))
        let isValid =
            magic | 1 == WALFile.magic | 1 && WALFile.number(head, 8) == UInt32(Database.pageBytes)
            && checksum == (WALFile.number(head, 24), WALFile.number(head, 28))
        salts = isValid ? Salts(values: WALFile.salts(head, 16), checksum: checksum) : nil
    }

    /// The checksum up to and with a frame; nil if the frame isn't valid.
    func checksum(of frame: Int, after sums: (UInt32, UInt32)) throws -> (UInt32, UInt32)? {
        var bytes = [UInt8](repeating: 0, count: frameBytes)
        try WALFile.read(file, methods, offset(of: frame), into: &bytes)
        guard WALFile.number(bytes, 0) != 0, WALFile.salts(bytes, 8) == salts?.values else { return nil }
        let head = WALFile.sum(bytes[0..<8], isBigEndian, sums)
        let all = WALFile.sum(bytes[WALFile.frameHeaderBytes...], isBigEndian, head)
        return all == (WALFile.number(bytes, 16), WALFile.number(bytes, 20)) ? all : nil
    }

    func header(of frame: Int) throws -> Header {
        var bytes = [UInt8](repeating: 0, count: WALFile.frameHeaderBytes)
        try WALFile.read(file, methods, offset(of: frame), into: &bytes)
        return Header(
            salts: WALFile.salts(bytes, 8), page: WALFile.number(bytes, 0), isCommit: WALFile.number(bytes, 4) != 0)
    }

    /// Reads the page of a frame.
    func read(_ frame: Int, into page: inout [UInt8]) throws {
        try WALFile.read(file, methods, offset(of: frame) + Int64(WALFile.frameHeaderBytes), into: &page)
    }

    private func offset(of frame: Int) -> Int64 { WALFile.headerBytes + Int64(frame) * Int64(frameBytes) }

    private static func read(
        _ file: UnsafeMutablePointer<sqlite3_file>, _ methods: sqlite3_io_methods, _ offset: Int64,
        into bytes: inout [UInt8]
    ) throws {
        guard let read = methods.xRead else { return }
        let code = read(file, &bytes, Int32(clamping: bytes.count), offset)
        guard code == SQLITE_OK else {
            throw StorageFailure.failed(
                operation: "reading the WAL", code: code, message: String(cString: sqlite3_errstr(code)))
        }
    }

    /// Numbers of the format have the highest byte first.
    private static func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        bytes[at..<(at + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func salts(_ bytes: [UInt8], _ at: Int) -> UInt64 {
        UInt64(number(bytes, at)) << 32 | UInt64(number(bytes, at + 4))
    }

    /// The format's checksum (sqlite.org/walformat.html, section 4.2), begun with `sums`.
    private static func sum(
        _ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool, _ sums: (UInt32, UInt32)
    ) -> (UInt32, UInt32) {
        bytes.withUnsafeBytes { raw in
            var (first, second) = sums
            for offset in stride(from: 0, to: raw.count - 7, by: 8) {
                var words = (
                    raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                    raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                )
                if isBigEndian { words = (UInt32(bigEndian: words.0), UInt32(bigEndian: words.1)) }
                first = first &+ words.0 &+ second
                second = second &+ words.1 &+ first
            }
            return (first, second)
        }
    }
}
