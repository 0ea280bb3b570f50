import RoostCore
import RoostWire

/// Rows of the log that are stored as one: a page full, or a single long row. SQLite takes some 9,000 instructions for
/// a row of a dozen columns; side by side in a blob they cost a tenth. The rows of a block are next to each other in
/// the log, and a block never holds rows of two commits.
struct LogBlock {
    /// More would go to overflow pages (sqlite.org/fileformat2.html#b_tree_pages): 4,061 less the record's header.
    static let bytesMax = 4_050

    /// The position that rows count from.
    private(set) var position: Int64 = 0
    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    /// Whether a row of so many bytes still belongs here. Positions without a row lie between those of a batch that
    /// erases many conversations.
    func fits(_ count: Int, at position: Int64) -> Bool {
        bytes.isEmpty || (bytes.count + count <= LogBlock.bytesMax && position - self.position <= UInt8.max)
    }

    /// Adds the row of an event. `texts` are its device, key and label, one after the other.
    mutating func append(
        _ event: borrowing Append, _ header: LogHeader, at position: Int64, texts: UnsafeRawBufferPointer
    ) {
        begin(at: position)
        var header = header
        header.offset = UInt8(truncatingIfNeeded: position - self.position)
        withUnsafeBytes(of: header) { bytes.append(contentsOf: $0) }
        if header.marks.contains(.reference) {
            withUnsafeBytes(of: event.reference.value) { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: texts)
        // An edit's body is the message's from now on.
        if event.kind != .edit { bytes.append(contentsOf: event.body) }
    }

    /// Adds a row that was in a block before.
    mutating func append(_ row: some Collection<UInt8>, at position: Int64, block: Int64) {
        begin(at: block)
        let start = bytes.count
        bytes.append(contentsOf: row)
        let offset = UInt8(truncatingIfNeeded: position - self.position)
        bytes.withUnsafeMutableBytes { bytes in
            var header = bytes.loadUnaligned(fromByteOffset: start, as: LogHeader.self)
            header.offset = offset
            bytes.storeBytes(of: header, toByteOffset: start, as: LogHeader.self)
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * LogBlock.bytesMax)
    }

    private mutating func begin(at position: Int64) {
        if bytes.isEmpty { self.position = position }
    }
}

/// The rows of a block, in order. Lends bytes; valid as long as they are.
struct LogRows: Sequence, IteratorProtocol {
    let block: Int64
    private var rest: UnsafeRawBufferPointer

    init(block: Int64, bytes: UnsafeRawBufferPointer) {
        self.block = block
        rest = bytes
    }

    mutating func next() -> LogRow? {
        guard let row = LogRow(rest, block: block) else { return nil }
        rest = UnsafeRawBufferPointer(rebasing: rest[row.bytes.count...])
        return row
    }
}
