import RoostCore
import RoostWire

/// Why an event of an import can't be stored, and the line it came from.
struct ImportRefusal: Error {
    let line: Int64
    let reason: String
}

extension SQLiteWriter {
    /// Stores events that were decided elsewhere, in one transaction, behind what is there: the same rows, keys and
    /// index entries as `commit` makes, but with the time and sequence that they have, and a message as it is by now.
    /// It doesn't ask who may do what. Returns the position of the first.
    /// - Throws: `ImportRefusal`, or `StorageFailure`; nothing is stored then and the writer takes nothing more.
    func adopt(_ events: [ImportedEvent]) throws -> Int64 {
        try transactions.checkUsable()
        try transactions.poisoning { try checkpoints.beforeCommit() }
        let first = head + 1
        let isMerged = try transactions.run {
            for event in events { try adopt(event) }
            try newRows.store()
            return try indexer.mergeShare(rows: events.count, upTo: head)
        }
        log.publish(head)
        indexer.publish(head)
        if isMerged { indexer.finishMerge() }
        return first
    }

    /// Brings a message to what a later edit or deletion made of it.
    func refresh(_ event: ImportedEvent, at position: Int64) throws {
        try change {
            guard case .row(var row) = try log.find(at: position) else {
                throw ImportRefusal(line: event.line, reason: "the row at position \(position) is damaged")
            }
            try directory.threads.remove(row.event)
            row.event.body = event.body
            row.event.extras = event.extras
            row.event.editedAt = Timestamp(milliseconds: event.editedAt)
            row.event.deletedAt = Timestamp(milliseconds: event.deletedAt)
            try editor.replace(row)
            if event.deletedAt != 0 {
                try directory.pins.remove(row.event.sequence, of: row.event.conversation)
                try directory.noteGone(row.event.sequence, in: event.conversation)
            }
            try addToThread(row.event)
            try note(event)
        }
        log.publish(head)
    }

    private func addToThread(_ message: StoredEvent) throws {
        guard message.kind == .message, message.deletedAt == .never else { return }
        try directory.threads.add(
            message.extras, message.sequence, by: message.sender, in: message.conversation, at: message.time)
    }

    /// Notes a message's mentions. Members who have read it already don't have it to read.
    private func note(_ event: ImportedEvent) throws {
        try directory.mentions.add(
            Mention(SequenceNumber(event.sequence), by: UserNumber(event.sender)), for: event.mentioned,
            in: ConversationNumber(event.conversation))
    }

    private func adopt(_ event: ImportedEvent) throws {
        func refuse(_ reason: String) -> ImportRefusal { ImportRefusal(line: event.line, reason: reason) }
        guard let conversation = directory.conversation(event.conversation) else {
            throw refuse("conversation: it isn't in the store")
        }
        let last = conversation.lastSequence
        guard event.sequence == (event.kind == .message ? last + 1 : last) else {
            throw refuse("sequence: the store has \(last) messages of this conversation")
        }
        let append = event.append
        var keyHash: UInt64?
        if !event.key.isEmpty {
            let hash = indexer.keys.hash(of: append.key, by: event.sender)
            if try isUsed(append.key, by: append.sender, hash) { throw refuse("key: its sender used it before") }
            keyHash = hash
        }
        head += 1
        try newRows.add(append, at: head, sequence: event.sequence)
        var stored = StoredEvent(append, position: Position(head), sequence: SequenceNumber(event.sequence))
        if event.editedAt != 0 || event.deletedAt != 0 {
            stored.editedAt = Timestamp(milliseconds: event.editedAt)
            stored.deletedAt = Timestamp(milliseconds: event.deletedAt)
            try editor.replace(LogRow(event: stored, sequence: event.sequence))
        }
        try addToThread(stored)
        indexer.add(
            EventEntry(position: head, sequence: event.sequence, isMessage: event.kind == .message),
            to: event.conversation, key: keyHash)
        conversation.note(sequence: event.sequence, position: head, time: event.time)
        if event.kind == .message, event.deletedAt != 0 {
            try directory.noteGone(SequenceNumber(event.sequence), in: event.conversation)
        }
        // Those that have disappeared are found again, since the file doesn't say which they are.
        try directory.expiring.add(event.extras, at: head)
        try note(event)
        guard event.kind == .react else { return }
        guard try reactions.has(append) == event.flag else {
            throw refuse("reaction: \(event.flag ? "it wasn't given" : "it was given before")")
        }
        try reactions.apply(append, isWithheld: append.extras.isWithheld)
    }

    private func isUsed(_ key: String, by sender: UserNumber, _ hash: UInt64) throws -> Bool {
        let found: Bool? = try indexer.keys.first(hash) { position in
            guard case .row(let row) = try log.find(at: position) else { return nil }
            return row.event.sender == sender && (row.event.key == key || row.event.key == ErasedKey.text(hash))
                ? true : nil
        }
        return found ?? false
    }
}
