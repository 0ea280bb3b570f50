import RoostCore
import RoostProtocol

extension SQLiteReader {
    /// The row at a position, as it is now; nil if its conversation was erased meanwhile. An edit carries the message's
    /// kind and present body: a device that catches up never shows one that was replaced, and none of what was deleted.
    func event(at position: Int64) throws -> StoredEvent? {
        statements.row.bind(1, position)
        let found = try statements.row.first { try self.event($0, at: position) }
        guard var event = found, event.kind == .edit else { return found }
        let message = event.sequence.value
        let conversation = event.conversation
        guard let place = try self.position(of: message, in: conversation.value) else { return event }
        statements.row.bind(1, place)
        try statements.row.first { row in
            event.label = row.text(11)
            event.body = [UInt8](row.bytes(12))
            event.deletedAt = Timestamp(milliseconds: row.int64(8))
        }
        return event
    }

    /// Where a message is: the tail first, then the index.
    func position(of sequence: Int64, in conversation: Int32) throws -> Int64? {
        try tail.position(of: sequence, in: conversation) ?? events.position(of: sequence, in: conversation)
    }

    /// Whether the conversation is there, and wasn't erased.
    func exists(_ conversation: Int32) throws -> Bool {
        statements.exists.bind(1, conversation)
        return try statements.exists.first { _ in true } ?? false
    }

    private func event(_ row: Statement, at position: Int64) throws -> StoredEvent {
        guard let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: row.int32(2))) else {
            throw StorageFailure.inconsistent("the row at position \(position) is of no known kind")
        }
        var append = Append(
            kind, in: ConversationNumber(row.int32(0)), by: UserNumber(row.int32(3)), device: row.text(9),
            at: Timestamp(milliseconds: row.int64(4)))
        append.key = row.text(10)
        append.label = row.text(11)
        append.reference = Sequence(row.int64(5))
        append.flag = row.int32(6) != 0
        append.body = [UInt8](row.bytes(12))
        let sequence = row.isReferring(kind: 2) ? append.reference : Sequence(row.int64(1))
        var event = StoredEvent(append, position: Position(position), sequence: sequence)
        event.editedAt = Timestamp(milliseconds: row.int64(7))
        event.deletedAt = Timestamp(milliseconds: row.int64(8))
        return event
    }
}
