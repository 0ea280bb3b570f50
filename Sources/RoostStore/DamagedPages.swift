import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The pages of a file of SQLite's that SQLite itself doesn't read any more, and of the log beside it: whatever row is
/// whole on its page can be read, also if nothing leads to that page. The format is SQLite's for ever
/// (sqlite.org/fileformat2.html). It changes nothing.
///
/// Rows that were deleted aren't found again: our pages have no stale bytes.
struct DamagedPages {
    /// A row of any table: its number and its columns.
    struct Row {
        var number: Int64
        var values: [LocalValue]
    }

    private let main: Int32
    private let log: DamagedLog
    private let size: Int
    private let count: UInt32

    /// - Parameter path: of the database. A missing file has no pages.
    init(_ path: String) {
        main = open(path, O_RDONLY | O_CLOEXEC)
        log = DamagedLog(path + "-wal")
        let head = DamagedPages.bytes(of: main, at: 16, count: 2)
        let told = head.count == 2 ? Int(head[0]) << 8 | Int(head[1]) : 0
        // 4,096 is SQLite's default.
        size = log.pageSize ?? (told >= 512 && told & (told - 1) == 0 ? told : 4_096)
        let length = main < 0 ? 0 : max(0, Int(lseek(main, 0, SEEK_END)))
        count = max(UInt32(clamping: length / size), log.lastPage)
    }

    /// Closes the files.
    func close() {
        if main >= 0 { _ = closeFile(main) }
        log.close()
    }

    /// Reads every row that can be read, in no order.
    func rows(_ read: (Row) -> Void) {
        guard count > 0 else { return }
        for number in 1...count {
            guard let page = page(number) else { continue }
            let start = number == 1 ? 100 : 0
            // The leaves of tables; indexes, and tables without row numbers, have other kinds.
            guard page.count == size, page[start] == 0x0D else { continue }
            let cells = page.number(at: start + 3)
            for cell in 0..<min(cells, (size - start - 8) / 2) {
                if let row = row(at: page.number(at: start + 8 + cell * 2), of: page) { read(row) }
            }
        }
    }

    private func page(_ number: UInt32) -> [UInt8]? {
        if let place = log.pages[number] { return DamagedPages.bytes(of: log.file, at: place, count: size) }
        guard main >= 0 else { return nil }
        return DamagedPages.bytes(of: main, at: Int(number - 1) * size, count: size)
    }

    private func row(at start: Int, of page: [UInt8]) -> Row? {
        var at = start
        guard start >= 8, let length = page.varint(&at), let number = page.varint(&at), length > 0,
            let length = Int(exactly: length), length <= 33_554_432
        else { return nil }
        let most = size - 35
        guard length > most else {
            guard at + length <= size else { return nil }
            return DamagedPages.columns(page[at..<(at + length)]).map { Row(number: number, values: $0) }
        }
        // The rest of a long row is on pages of its own, each of which names the next.
        let least = (size - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (size - 4)
        let here = fitting > most ? least : fitting
        guard at + here + 4 <= size else { return nil }
        var bytes = Array(page[at..<(at + here)])
        var next = page.link(at: at + here)
        while bytes.count < length {
            guard next > 0, next <= count, let more = self.page(next), more.count == size else { return nil }
            bytes += more[4..<min(size, 4 + length - bytes.count)]
            next = more.link(at: 0)
        }
        return DamagedPages.columns(bytes[...]).map { Row(number: number, values: $0) }
    }

    private static func columns(_ record: ArraySlice<UInt8>) -> [LocalValue]? {
        let bytes = Array(record)
        var at = 0
        guard let head = bytes.varint(&at).flatMap({ Int(exactly: $0) }), head <= bytes.count else { return nil }
        var (values, start) = ([LocalValue](), head)
        while at < head {
            guard let kind = bytes.varint(&at) else { return nil }
            guard let (value, length) = value(kind, Array(bytes[min(start, bytes.count)...])) else { return nil }
            values.append(value)
            start += length
        }
        return at == head && start == bytes.count ? values : nil
    }

    // The value of a serial type at the beginning of these bytes, and how many of them it takes. Our tables have no
    // numbers that aren't whole.
    private static func value(_ kind: Int64, _ bytes: [UInt8]) -> (LocalValue, Int)? {
        switch kind {
        case 0: return (.null, 0)
        case 1...6:
            let length = [1, 2, 3, 4, 6, 8][Int(kind) - 1]
            guard length <= bytes.count else { return nil }
            var number: Int64 = bytes[0] >= 0x80 ? -1 : 0
            for byte in bytes.prefix(length) { number = number << 8 | Int64(byte) }
            return (.integer(number), length)
        case 8, 9: return (.integer(kind - 8), 0)
        case 12...:
            guard let length = Int(exactly: (kind - 12) / 2), length <= bytes.count else { return nil }
            let content = Array(bytes.prefix(length))
            return (kind % 2 == 0 ? .bytes(content) : .text(String(decoding: content, as: UTF8.self)), length)
        default: return nil
        }
    }

    /// Up to `count` bytes of a file.
    fileprivate static func bytes(of file: Int32, at place: Int, count: Int) -> [UInt8] {
        guard file >= 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = max(0, pread(file, buffer.baseAddress, count, off_t(place)))
        }
    }
}

/// A write-ahead log, as far as frames of the last run through it are there: behind one that is damaged, too, where
/// SQLite stops (sqlite.org/fileformat2.html#the_write_ahead_log).
struct DamagedLog {
    fileprivate let file: Int32
    /// Where the newest content of each page is, up to the last commit.
    fileprivate private(set) var pages: [UInt32: Int] = [:]
    /// nil if there is no frame.
    fileprivate private(set) var pageSize: Int?
    /// Whether SQLite would stop before a frame that is whole: an older state would come back in silence.
    private(set) var hidesFrames = false

    fileprivate var lastPage: UInt32 { pages.keys.max() ?? 0 }

    private static let headBytes = 32
    private static let frameBytes = 24

    init(_ path: String) {
        file = open(path, O_RDONLY | O_CLOEXEC)
        let head = DamagedPages.bytes(of: file, at: 0, count: DamagedLog.headBytes)
        guard head.count == DamagedLog.headBytes else { return }
        let told = Int(head.link(at: 8))
        let size = told >= 512 && told <= 65_536 && told & (told - 1) == 0 ? told : 4_096
        let first = DamagedPages.bytes(of: file, at: DamagedLog.headBytes, count: DamagedLog.frameBytes)
        guard first.count == DamagedLog.frameBytes else { return }
        let magic = head.link(at: 0)
        var sum = FrameSum(isBigEndian: magic & 1 == 1)
        sum.add(head[..<24])
        let isSound = magic & ~1 == 0x377F_0682 && told == size && sum.isStored(in: head, at: 24)
        // If the head is damaged, the first frame has the salt, and the second one shows the byte order.
        readFrames(size, salt: isSound ? head[16..<24] : first[8..<16], isHeadSound: isSound, sum)
    }

    private mutating func readFrames(_ size: Int, salt: ArraySlice<UInt8>, isHeadSound: Bool, _ sum: FrameSum) {
        var waiting: [UInt32: Int] = [:]
        var (place, isWhole, before) = (DamagedLog.headBytes, isHeadSound, isHeadSound ? [sum] : [])
        while true {
            let frame = DamagedPages.bytes(of: file, at: place, count: DamagedLog.frameBytes + size)
            guard frame.count == DamagedLog.frameBytes + size else { break }
            defer { place += frame.count }
            let fits = before.contains { start in
                var sum = start
                sum.add(frame[..<8])
                sum.add(frame[DamagedLog.frameBytes...])
                return sum.isStored(in: frame, at: 16)
            }
            // Others are of an earlier run through the log.
            let isOfThisRun = frame[8..<16].elementsEqual(salt)
            guard fits || isOfThisRun else {
                (before, isWhole) = ([], false)
                continue
            }
            if !fits || !isOfThisRun { isWhole = false }
            // Each frame goes on from what the one before has stored, whether or not that one is whole.
            before = (isHeadSound ? [sum.isBigEndian] : [false, true]).map {
                FrameSum(isBigEndian: $0, frame.link(at: 16), frame.link(at: 20))
            }
            if fits && !isWhole { hidesFrames = true }
            waiting[frame.link(at: 0)] = place + DamagedLog.frameBytes
            // A frame that ends a transaction has the number of pages of the database.
            if frame.link(at: 4) > 0 {
                pages.merge(waiting) { $1 }
                waiting = [:]
            }
            pageSize = size
        }
        pages[0] = nil
    }

    /// Closes the file.
    func close() {
        if file >= 0 { _ = closeFile(file) }
    }
}

/// The sum of a log's frames, each of which goes on from the one before.
private struct FrameSum {
    let isBigEndian: Bool
    private var sum: UInt64

    init(isBigEndian: Bool, _ first: UInt32 = 0, _ second: UInt32 = 0) {
        self.isBigEndian = isBigEndian
        sum = UInt64(first) << 32 | UInt64(second)
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { roost_log_sum_add($0.baseAddress, Int32($0.count), isBigEndian ? 1 : 0, &sum) }
    }

    func isStored(in bytes: [UInt8], at place: Int) -> Bool {
        UInt64(bytes.link(at: place)) << 32 | UInt64(bytes.link(at: place + 4)) == sum
    }
}

// `close` is also a method where it is called.
private func closeFile(_ file: Int32) -> Int32 { close(file) }

extension [UInt8] {
    /// Two bytes as a number, the higher one first.
    fileprivate func number(at place: Int) -> Int {
        place + 1 < count ? Int(self[place]) << 8 | Int(self[place + 1]) : 0
    }

    /// Four bytes as a number, the highest one first.
    fileprivate func link(at place: Int) -> UInt32 {
        guard place >= 0, place + 3 < count else { return 0 }
        return self[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A number of one to nine bytes; nil if it isn't whole.
    fileprivate func varint(_ at: inout Int) -> Int64? {
        var number: UInt64 = 0
        for index in 0..<9 {
            guard at >= 0, at < count else { return nil }
            let byte = self[at]
            at += 1
            if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: number) }
        }
        return nil
    }
}
