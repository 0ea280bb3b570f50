import RoostCore
import RoostWire

/// The current row of a query of the log. Borrows SQLite's memory: valid until the query's next step. The columns are
/// as they are on disk; check `isIntact` before using them.
struct LogColumns {
    /// The columns that a query has to select, in this order.
    static let names = """
        position, conversation, sequence, kind, sender, time, checksum, reference, flag, edited_at, deleted_at, \
        device, key, label, extras, body
        """

    private let row: Statement

    init(_ row: Statement) { self.row = row }

    var position: Int64 { row.int64(0) }
    var conversation: Int32 { row.int32(1) }
    /// The stored number: for a message its own sequence, otherwise that of the last message before it.
    var sequence: Int64 { row.int64(2) }
    /// nil if it is none of those that have rows.
    var kind: EventKind? {
        UInt8(exactly: row.int64(3)).flatMap { EventKind(rawValue: $0) }.flatMap { $0 == .state ? nil : $0 }
    }
    var sender: Int32 { row.int32(4) }
    var time: Int64 { row.int64(5) }
    var reference: Int64 { row.int64(7) }
    var flag: Bool { row.int32(8) != 0 }
    /// Whether it names a device, or has a key in clear.
    var hasTraces: Bool { row.bytes(11).count > 0 || !key.isEmpty && ErasedKey.hash(of: key) == nil }
    var key: UnsafeRawBufferPointer { row.bytes(12) }
    var label: UnsafeRawBufferPointer { row.bytes(13) }
    var extras: UnsafeRawBufferPointer { row.bytes(14) }
    var body: UnsafeRawBufferPointer { row.bytes(15) }

    /// Whether the row is what was written: its checksum is right.
    var isIntact: Bool {
        guard let kind else { return false }
        return checksum(kind) == row.int64(6)
    }

    /// The whole row, copied; nil if it is damaged.
    func copy() -> LogRow? {
        guard let kind, checksum(kind) == row.int64(6) else { return nil }
        var append = Append(
            kind, in: ConversationNumber(conversation), by: UserNumber(sender), device: row.text(11),
            at: Timestamp(milliseconds: time))
        append.key = row.text(12)
        append.label = row.text(13)
        append.reference = SequenceNumber(row.int64(7))
        append.flag = row.int32(8) != 0
        append.extras = Extras(parsing: extras)
        append.body = [UInt8](body)
        let shown: SequenceNumber =
            switch kind {
            case .edit, .delete, .react: append.reference
            case .message, .conversation, .state: SequenceNumber(sequence)
            }
        var event = StoredEvent(append, position: Position(position), sequence: shown)
        event.editedAt = Timestamp(milliseconds: row.int64(9))
        event.deletedAt = Timestamp(milliseconds: row.int64(10))
        return LogRow(event: event, sequence: sequence)
    }

    private func checksum(_ kind: EventKind) -> Int64 {
        let numbers = RowNumbers(
            position: position, conversation: conversation, sequence: sequence, kind: kind.rawValue, sender: sender,
            time: time, reference: row.int64(7), flag: row.int32(8) != 0, editedAt: row.int64(9),
            deletedAt: row.int64(10))
        return numbers.checksum(device: row.bytes(11), key: key, label: label, extras: extras, body: body)
    }
}

/// An intact row, copied from the log. A value.
struct LogRow {
    /// The event for readers. For an edit, without the message's body.
    var event: StoredEvent
    /// The stored number: for a message its own sequence, otherwise that of the last message before it.
    let sequence: Int64
}

/// The result of a look-up by position.
enum LogFinding {
    case row(LogRow)
    case missing
    /// There is a row, or was one, but it is damaged.
    case damaged
}

extension LogRow {
    /// Whether it is this message. An index that says so may be wrong.
    func isMessage(_ sequence: Int64, in conversation: Int32) -> Bool {
        event.kind == .message && self.sequence == sequence && event.conversation.value == conversation
    }
}
