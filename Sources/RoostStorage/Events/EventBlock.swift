/// Consecutive rows of one conversation as the event index stores them, in about two bytes each. A message raises the
/// sequence by one, so only the differences of positions are written, with a bit that marks messages.
struct EventBlock {
    /// The most rows of a block, so that several blocks fit into a page and a look-up reads few rows it doesn't need.
    /// After a merge that was killed, the next one overwrites its blocks, because they begin with the same rows:
    /// changing this number needs a migration.
    static let rowsMax = 128

    let conversation: Int32
    /// The sequence before its first row.
    let before: Int64
    /// The position of its first row.
    let position: Int64
    let rows: Int
    let bytes: [UInt8]

    /// Takes rows from the beginning of `entries`: at most `rowsMax`, and none after a missing message. nil if there
    /// are none.
    init?(_ entries: ArraySlice<EventEntry>, of conversation: Int32) {
        guard let first = entries.first else { return nil }
        self.conversation = conversation
        before = first.before
        position = first.position
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * min(entries.count, EventBlock.rowsMax))
        var last = (position: first.position, sequence: first.before)
        var count = 0
        for entry in entries.prefix(EventBlock.rowsMax) {
            guard entry.before == last.sequence else { break }
            var rest = UInt64(truncatingIfNeeded: entry.position &- last.position) << 1 | (entry.isMessage ? 1 : 0)
            while rest > 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
            last = (entry.position, entry.sequence)
            count += 1
        }
        rows = count
        self.bytes = bytes
    }

    var checksum: Int64 {
        bytes.withUnsafeBytes { EventBlock.checksum(conversation, position: position, before: before, bytes: $0) }
    }

    static func checksum(
        _ conversation: Int32, position: Int64, before: Int64, bytes: UnsafeRawBufferPointer
    ) -> Int64 {
        var checksum = Checksum()
        checksum.add(UInt64(UInt32(bitPattern: conversation)))
        checksum.add(UInt64(bitPattern: position))
        checksum.add(UInt64(bitPattern: before))
        checksum.add(bytes)
        return Int64(checksum.value)
    }
}

/// Reads the rows of a block in order. Borrows the bytes, and is valid as long as they are.
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

    mutating func next() -> EventEntry? {
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
            return EventEntry(position: position, sequence: sequence, isMessage: isMessage)
        }
        return nil
    }
}
