/// What every row of the log has, in the order and size in which it is stored: 32 bytes, without padding, as the
/// machine has them in memory. A change is a migration.
struct LogHeader {
    /// Bytes of the whole row.
    var length: UInt32 = 0
    var conversation: Int32
    /// A message's own, and the last message's before any other row: in one conversation the order by (sequence,
    /// position) is the order by position.
    var sequence: Int64
    var sender: Int32
    private var timeLow: UInt32
    private var timeHigh: UInt16
    /// The row's position above that of its block.
    var offset: UInt8 = 0
    var kind: UInt8
    var marks: LogMarks = []
    /// Bytes of the texts. The protocol's limits are far below what fits.
    var device: UInt8
    var key: UInt8
    var label: UInt8

    /// Milliseconds. Its 48 bits last for 8,900 years.
    var time: Int64 { Int64(timeHigh) << 32 | Int64(timeLow) }

    init(
        conversation: Int32, sender: Int32, sequence: Int64, time: Int64, kind: UInt8, marks: LogMarks = [],
        device: UInt8, key: UInt8, label: UInt8
    ) {
        self.conversation = conversation
        self.sender = sender
        self.sequence = sequence
        timeLow = UInt32(truncatingIfNeeded: time)
        timeHigh = UInt16(truncatingIfNeeded: time >> 32)
        self.kind = kind
        self.marks = marks
        self.device = device
        self.key = key
        self.label = label
    }
}

/// What a row may have.
struct LogMarks: OptionSet {
    let rawValue: UInt8

    /// The event's flag.
    static let flag = LogMarks(rawValue: 1)
    /// A number of eight bytes each follows the header, in this order.
    static let reference = LogMarks(rawValue: 2)
    static let edited = LogMarks(rawValue: 4)
    static let deleted = LogMarks(rawValue: 8)
}

/// A row of the log where it lies in a block: header, numbers, device, key, label, body. Lends bytes; valid as long as
/// they are.
struct LogRow {
    static let headerBytes = MemoryLayout<LogHeader>.size

    let position: Int64
    let header: LogHeader
    /// The whole row.
    let bytes: UnsafeRawBufferPointer

    /// The row that begins here; nil if there is none that makes sense.
    init?(_ rest: UnsafeRawBufferPointer, block: Int64) {
        guard rest.count >= LogRow.headerBytes else { return nil }
        header = rest.loadUnaligned(as: LogHeader.self)
        let texts = Int(header.device) + Int(header.key) + Int(header.label)
        let least = LogRow.headerBytes + LogRow.numberBytes(header.marks) + texts
        guard Int(header.length) >= least, Int(header.length) <= rest.count else { return nil }
        position = block &+ Int64(header.offset)
        bytes = UnsafeRawBufferPointer(rebasing: rest[..<Int(header.length)])
    }

    var reference: Int64? { number(.reference) }
    var editedAt: Int64? { number(.edited) }
    var deletedAt: Int64? { number(.deleted) }
    var device: UnsafeRawBufferPointer { part(0, Int(header.device)) }
    var key: UnsafeRawBufferPointer { part(Int(header.device), Int(header.key)) }
    var label: UnsafeRawBufferPointer { part(Int(header.device) + Int(header.key), Int(header.label)) }

    /// An edit has none here: it is the message's present one.
    var body: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(textStart + textBytes)...])
    }

    /// The same row with another body, and the time of the change.
    func changed(body: UnsafeRawBufferPointer, _ mark: LogMarks, at time: Int64) -> [UInt8] {
        var header = header
        header.marks.insert(mark)
        let count = LogRow.headerBytes + LogRow.numberBytes(header.marks) + textBytes + body.count
        header.length = UInt32(clamping: count)
        var row: [UInt8] = []
        row.reserveCapacity(count)
        withUnsafeBytes(of: header) { row.append(contentsOf: $0) }
        for one in [LogMarks.reference, .edited, .deleted] where header.marks.contains(one) {
            let number = one == mark ? time : number(one) ?? 0
            withUnsafeBytes(of: number) { row.append(contentsOf: $0) }
        }
        row.append(contentsOf: bytes[textStart..<textStart + textBytes])
        row.append(contentsOf: body)
        return row
    }

    private var textBytes: Int { Int(header.device) + Int(header.key) + Int(header.label) }
    private var textStart: Int { LogRow.headerBytes + LogRow.numberBytes(header.marks) }

    private func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[textStart + offset..<textStart + offset + count])
    }

    private func number(_ mark: LogMarks) -> Int64? {
        guard header.marks.contains(mark) else { return nil }
        let before = header.marks.intersection(LogMarks(rawValue: mark.rawValue - 1))
        return bytes.loadUnaligned(fromByteOffset: LogRow.headerBytes + LogRow.numberBytes(before), as: Int64.self)
    }

    private static func numberBytes(_ marks: LogMarks) -> Int {
        8 * marks.subtracting(.flag).rawValue.nonzeroBitCount
    }
}
