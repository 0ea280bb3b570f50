/// Some rows of one conversation, one after the other, as the event index holds them: about two bytes a row. A message
/// is a row that raises the sequence by one, so only positions are written, as differences, with a bit for messages.
struct EventBlock {
    /// At most; a block fits into a page with others, and a look-up reads few rows in vain. The blocks of a merge that
    /// was killed are written over by those of the next, which begin with the same rows: a change is a migration.
    static let rowsMax = 128

    let conversation: Int32
    /// The sequence before its first row.
    let before: Int64
    /// The position of its first row.
    let position: Int64
    let rows: Int
    let bytes: [UInt8]

    /// At least one row.
    init?(_ entries: ArraySlice<Tail.Entry>, of conversation: Int32) {
        guard let first = entries.first else { return nil }
        self.conversation = conversation
        before = first.isMessage ? first.sequence - 1 : first.sequence
        position = first.position
        rows = entries.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * entries.count)
        var last = first.position
        for entry in entries {
            var rest = UInt64(truncatingIfNeeded: entry.position &- last) << 1 | (entry.isMessage ? 1 : 0)
            while rest > 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
            last = entry.position
        }
        self.bytes = bytes
    }
}

/// Reads the rows of a block, in order. Lends bytes; valid as long as they are.
struct EventRows: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var sequence: Int64
    private var position: Int64

    init(before: Int64, position: Int64, bytes: UnsafeRawBufferPointer) {
        sequence = before
        self.position = position
        self.bytes = bytes
    }

    mutating func next() -> Tail.Entry? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            let isMessage = value & 1 == 1
            sequence &+= isMessage ? 1 : 0
            position &+= Int64(truncatingIfNeeded: value >> 1)
            return Tail.Entry(position: position, sequence: sequence, isMessage: isMessage)
        }
        return nil
    }
}
