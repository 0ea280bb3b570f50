import RoostCore
import RoostWire

extension SQLiteReader {
    /// The current row at a place that an index named. If it can't be read, that is reported and the result is nil. An
    /// edit has the message's kind and current body, so that a device that catches up never shows a replaced or deleted
    /// one.
    func event(at entry: EventEntry, in conversation: Int32) throws -> StoredEvent? {
        switch try log.find(at: entry.position) {
        case .row(let row):
            guard row.event.conversation.value == conversation, row.sequence == entry.sequence,
                (row.event.kind == .message) == entry.isMessage
            else {
                reporter.note(
                    .damagedIndex, "conversation \(conversation) has another row at position \(entry.position)")
                return nil
            }
            return row.event.kind == .edit ? try completed(row.event) : row.event
        case .missing, .damaged:
            reporter.note(.damagedRow, "the row at position \(entry.position) is damaged and left out")
            return nil
        }
    }

    /// An edit with the kind and the present body of its message; nil if the message can't be had.
    func completed(_ edit: StoredEvent) throws -> StoredEvent? {
        let conversation = edit.conversation.value
        guard let place = try position(of: edit.sequence.value, in: conversation) else {
            try checkTailStayed()
            return nil
        }
        guard let message = try message(edit.sequence.value, in: conversation, at: place) else { return nil }
        var event = edit
        event.label = message.label
        event.body = message.body
        event.deletedAt = message.deletedAt
        return event
    }

    /// The message that an index has at a position; nil if it can't be had, which is reported.
    func message(_ sequence: Int64, in conversation: Int32, at position: Int64) throws -> StoredEvent? {
        try event(at: EventEntry(position: position, sequence: sequence, isMessage: true), in: conversation)
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
}
