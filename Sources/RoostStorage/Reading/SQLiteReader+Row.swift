import RoostCore
import RoostWire

extension SQLiteReader {
    /// The current row at a place from an index; nil, after reporting it, if it can't be read. An edit gets the kind
    /// and current body of its message, so that a device that catches up never shows a replaced or deleted body.
    func event(at entry: EventEntry, in conversation: Int32) throws -> StoredEvent? {
        if let owner = ConversationNumber(conversation).owner { return try setting(at: entry.position, of: owner) }
        switch try log.find(at: entry.position) {
        case .row(let row):
            guard row.event.conversation.value == conversation, row.sequence == entry.sequence,
                (row.event.kind == .message) == entry.isMessage
            else {
                reporter.note(
                    .damagedIndex, "conversation \(conversation) has another row at position \(entry.position)")
                return nil
            }
            return row.event.kind == .edit ? try completed(row.shownEvent) : row.shownEvent.shown(at: time)
        case .missing, .damaged:
            reporter.note(.damagedRow, "the row at position \(entry.position) is damaged and left out")
            return nil
        }
    }

    /// An edit with the kind and current body of its message; nil if the message can't be read.
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
        event.extras = message.extras
        event.editedAt = message.editedAt
        event.deletedAt = message.deletedAt
        return event
    }

    /// The message at a position from an index; nil, after reporting it, if it can't be read.
    func message(_ sequence: Int64, in conversation: Int32, at position: Int64) throws -> StoredEvent? {
        try event(at: EventEntry(position: position, sequence: sequence, isMessage: true), in: conversation)
    }

    /// The position of a message, from the tail or else from the index.
    func position(of sequence: Int64, in conversation: Int32) throws -> Int64? {
        try tail.position(of: sequence, in: conversation) ?? events.position(of: sequence, in: conversation)
    }

    /// Whether the conversation exists and has not been erased.
    func exists(_ conversation: Int32) throws -> Bool {
        statements.exists.bind(1, conversation)
        return try statements.exists.first { _ in true } ?? false
    }
}
