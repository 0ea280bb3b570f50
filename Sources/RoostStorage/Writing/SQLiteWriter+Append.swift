import RoostCore
import RoostWire

extension SQLiteWriter {
    /// Appends like `append`, but a page that the disk fails to read refuses this event alone: nothing is known to be
    /// damaged, and a retry may succeed. The rows that an event needs are read on a connection of its own before
    /// anything is changed, so the transaction and the state in memory are as they were.
    func appendIfReadable(_ event: Append, _ key: (hash: UInt64, mayBeOld: Bool)) throws -> Outcome {
        let before = (head, database.totalChanges)
        do {
            return try append(event, key)
        } catch let failure as StorageFailure where failure.isReadFailure {
            guard database.isInTransaction, before == (head, database.totalChanges) else { throw failure }
            reporter.note(.readFailed, "\(failure)")
            return .refused(.unavailable)
        }
    }

    /// Decides about one event and stores it.
    func append(_ event: Append, _ key: (hash: UInt64, mayBeOld: Bool)) throws -> Outcome {
        if event.kind == .state { return try set(event) }
        let isKeyed = !event.key.isEmpty
        if isKeyed, !indexer.keys.isNew(key.hash, mayBeOld: key.mayBeOld),
            let found = try duplicate(of: event, key)
        {
            return event.purpose == .opening ? .unchanged : found
        }
        switch event.purpose {
        case .event: break
        case .probe: return .refused(.notFound)
        case .opening: return try open(event)
        }
        var event = event
        var supplement = Supplement.nothing
        if let source = event.source {
            let (content, refusal) = try MessageChanges(self).content(of: source, for: event.sender, at: event.time)
            guard let content else { return .refused(refusal ?? .notFound) }
            event = event.forwarding(content)
            supplement = .content(content)
        }
        var found = directory.conversation(event.conversation.value)
        let change = event.change
        if case .create = change {
            // A number is not used again, at least as long as rows of its first use are left.
            guard found == nil, !erasures.contains(event.conversation.value) else { return .refused(.badRequest) }
            found = Directory.Conversation()
            found?.isDirect = event.change?.isDirect ?? false
        }
        guard let conversation = found else { return .refused(.notFound) }
        let last = conversation.lastSequence
        let outcome: Outcome
        switch event.kind {
        case .message:
            if let code = try MessageChanges(self).fault(ofReferencesIn: event, upTo: last) { return .refused(code) }
            outcome = .stored(Position(head + 1), SequenceNumber(last + 1), supplement)
        case .edit: outcome = try MessageChanges(self).edit(event)
        case .delete: outcome = try MessageChanges(self).delete(event)
        case .react: outcome = try MessageChanges(self).react(event)
        case .conversation:
            outcome =
                try MessageChanges(self).judge(event.change, of: event)
                ?? .stored(Position(head + 1), SequenceNumber(last))
        case .state: return .refused(.badRequest)
        }
        guard case .stored = outcome else { return outcome }
        if outcome.isWithheld, event.withheldFrom == .none { event.withheldFrom = event.peer }
        head += 1
        if case .erase = change {
            try erase(event.conversation)
            if isKeyed { try keep(event, key.hash, sequence: last) }
            return outcome
        }
        if case .create = change { directory.begin(conversation, event.conversation) }
        // Before the end moves.
        if conversation.isDirect { try directory.veil(for: event, at: head) }
        try insert(
            event, isKeyed ? key.hash : nil, into: conversation, sequence: event.kind == .message ? last + 1 : last)
        if case .stored(_, let sequence, _) = outcome {
            try directory.mentions.add(
                Mention(sequence, by: event.sender), for: event.mentioned, in: event.conversation)
        }
        if let change { try directory.apply(change, of: event, at: head, author: outcome.author) }
        // Whatever the receiver of a request does in it accepts it.
        if conversation.request?.receiver == event.sender || change?.isAcceptance == true {
            try directory.set(nil, of: event.conversation)
        }
        return outcome
    }

    /// Stores what a user has set.
    private func set(_ event: Append) throws -> Outcome {
        let outcome = try directory.settings.set(event, at: head + 1)
        guard case .stored = outcome else { return outcome }
        head += 1
        // Of the former value nothing may be left.
        checkpoints.erasedTexts.note()
        return outcome
    }

    /// Stores an opening without the key, which is that of the message behind it.
    private func open(_ event: Append) throws -> Outcome {
        guard try directory.isChanged(by: event) else { return .unchanged }
        if let source = event.source,
            try MessageChanges(self).content(of: source, for: event.sender, at: event.time).content == nil
        {
            return .unchanged
        }
        var change = event
        change.source = nil
        change.purpose = .event
        change.key = ""
        return try append(change, (hash: 0, mayBeOld: false))
    }

    /// Sequences have no gaps, and messages go only with their conversation, so any sequence in range is a message.
    func isMessage(_ sequence: SequenceNumber, upTo last: Int64) -> Bool {
        sequence.value >= 1 && sequence.value <= last
    }

    /// Inserts the row at `head`, and notes it in the indexes.
    private func insert(
        _ event: Append, _ keyHash: UInt64?, into conversation: Directory.Conversation, sequence: Int64
    ) throws {
        if event.kind == .message {
            try directory.threads.add(
                event.extras, SequenceNumber(sequence), by: event.sender, in: event.conversation, at: event.time)
        }
        if event.kind == .message, conversation.expiry > 0 {
            var message = DepartedRows(self).stored(event, keyHash: keyHash)
            message.extras = event.extras.expiring(at: event.time.expiry(after: conversation.expiry))
            try newRows.add(message, at: head, sequence: sequence)
            try directory.expiring.add(message.extras, at: head)
        } else {
            try newRows.add(DepartedRows(self).stored(event, keyHash: keyHash), at: head, sequence: sequence)
        }
        let number = event.conversation.value
        let entry = EventEntry(position: head, sequence: sequence, isMessage: event.kind == .message)
        indexer.add(entry, to: number, key: keyHash)
        conversation.note(sequence: sequence, position: head, time: event.time.milliseconds)
    }

    /// Stores another body, and the times and extras of the row as they are now. One that is deleted is neither pinned
    /// nor in a thread any more.
    func replaceBody(of row: inout LogRow, with body: [UInt8]) throws {
        if row.event.deletedAt != .never {
            try directory.pins.remove(row.event.sequence, of: row.event.conversation)
            try directory.threads.remove(row.event)
        }
        expiry.changed(at: row.event.position.value, by: body.count - row.event.body.count)
        row.event.body = body
        try editor.replace(row)
        checkpoints.erasedTexts.note()
        log.noteChange(at: row.event.position.value)
    }

    // MARK: Repeated keys

    /// Stores the key of the event at `head`, which erased its conversation.
    private func keep(_ event: Append, _ hash: UInt64, sequence: Int64) throws {
        var kept = DepartedRows(self).stored(event, keyHash: hash)
        kept.conversation = .none
        kept.device = ""
        kept.body = StoredEvent.leavingBody
        try newRows.add(kept, at: head, sequence: sequence)
        indexer.keys.add(hash, at: head)
    }

    /// The event stored under this key by the sender; nil if the key is new. A hash only gives candidates; the log
    /// shows whether the key is the same.
    private func duplicate(of event: Append, _ key: (hash: UInt64, mayBeOld: Bool)) throws -> Outcome? {
        do {
            return try indexer.keys.first(key.hash, mayBeOld: key.mayBeOld) { try stored(at: $0, for: event, key.hash) }
        } catch let failure as StorageFailure where failure.isIndexDamage {
            // Storing it now might store it twice.
            reporter.note(.damagedIndex, "the key index can't be read: \(failure)")
            return .refused(.unavailable)
        }
    }

    private func stored(at position: Int64, for event: Append, _ key: UInt64) throws -> Outcome? {
        switch try log.find(at: position) {
        case .missing, .damaged:
            // The hash matches, so the command was stored, but there is no row left to repeat the answer from.
            noteDamage(at: position)
            return .refused(.gone)
        case .row(let row):
            let first = row.event
            guard first.sender == event.sender,
                first.key == event.key || first.key == ErasedKey.text(key)
            else { return nil }
            // Some rows of an erased conversation may still be as they were.
            let isErased = directory.conversation(first.conversation.value) == nil
            return event.outcome(repeating: first, isErased: isErased)
        }
    }

    func noteDamage(at position: Int64) {
        reporter.note(.damagedRow, "the row at position \(position) is damaged and left out")
    }
}
