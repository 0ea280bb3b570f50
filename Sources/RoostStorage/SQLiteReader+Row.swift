import RoostCore
import RoostWire

extension SQLiteReader {
    /// The row at a position, as it is now; nil if its conversation was erased meanwhile. An edit carries the message's
    /// kind and present body: a device that catches up never shows one that was replaced, and none of what was deleted.
    func event(at position: Int64) throws -> StoredEvent? {
        let found = try table.row(at: position) { try self.event($0) }
        guard var event = found, event.kind == .edit else { return found }
        let message = event.sequence.value
        let conversation = event.conversation
        guard let place = try self.position(of: message, in: conversation.value) else { return event }
        _ = try table.row(at: place) { row -> Bool? in
            event.label = String(decoding: row.label, as: UTF8.self)
            event.body = [UInt8](row.body)
            event.deletedAt = Timestamp(milliseconds: row.deletedAt ?? 0)
            return true
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

    private func event(_ row: LogRow) throws -> StoredEvent {
        guard let kind = row.kind else {
            throw StorageFailure.inconsistent("the row at position \(row.position) is of no known kind")
        }
        var append = Append(
            kind, in: ConversationNumber(row.header.conversation), by: UserNumber(row.header.sender),
            device: String(decoding: row.device, as: UTF8.self), at: Timestamp(milliseconds: row.header.time))
        append.key = String(decoding: row.key, as: UTF8.self)
        append.label = String(decoding: row.label, as: UTF8.self)
        append.reference = SequenceNumber(row.reference ?? 0)
        append.flag = row.header.marks.contains(.flag)
        if kind != .edit { append.body = [UInt8](row.body) }
        var event = StoredEvent(append, position: Position(row.position), sequence: row.sequence)
        event.editedAt = Timestamp(milliseconds: row.editedAt ?? 0)
        event.deletedAt = Timestamp(milliseconds: row.deletedAt ?? 0)
        return event
    }
}
