import RoostCore
import RoostWire

extension SQLiteWriter {
    /// Decides about one event and stores it.
    func append(_ event: Append) throws -> Outcome {
        texts.load(event)
        var keyHash: UInt64?
        if !event.key.isEmpty {
            let hash = texts.lend { _, key, _ in indexer.keys.hash(of: key, by: event.sender.value) }
            if let found = try duplicate(of: event, hash) { return found }
            keyHash = hash
        }
        guard !event.isProbe else { return .refused(.notFound) }
        var found = directory.conversation(event.conversation.value)
        if case .create = event.change {
            // A number is not used again, at least as long as rows of its first use are left.
            guard found == nil, !erasures.contains(event.conversation.value) else { return .refused(.badRequest) }
            found = Directory.Conversation()
        }
        guard let conversation = found else { return .refused(.notFound) }
        let last = conversation.lastSequence

        let outcome: Outcome
        switch event.kind {
        case .message:
            guard event.reference == .none || isMessage(event.reference, upTo: last) else { return .refused(.notFound) }
            outcome = .stored(Position(head + 1), SequenceNumber(last + 1))
        case .edit: outcome = try edit(event)
        case .delete: outcome = try delete(event)
        case .react: outcome = try react(event)
        case .conversation: outcome = .stored(Position(head + 1), SequenceNumber(last))
        }
        guard case .stored = outcome else { return outcome }
        head += 1
        if case .erase = event.change {
            try erase(event.conversation)
            return outcome
        }
        try insert(event, keyHash, sequence: event.kind == .message ? last + 1 : last)
        return outcome
    }

    /// Sequences have no gaps, and messages go only with their conversation, so any sequence in range is a message.
    func isMessage(_ sequence: SequenceNumber, upTo last: Int64) -> Bool {
        sequence.value >= 1 && sequence.value <= last
    }

    /// Inserts the row at `head` and applies its change.
    private func insert(_ event: Append, _ keyHash: UInt64?, sequence: Int64) throws {
        try editor.insert(event, at: head, sequence: sequence, texts: texts)
        let number = event.conversation.value
        let entry = EventEntry(position: head, sequence: sequence, isMessage: event.kind == .message)
        indexer.add(entry, to: number, key: keyHash)
        var conversation = directory.conversation(number)
        if case .create = event.change { conversation = directory.begin(event.conversation) }
        conversation?.note(sequence: sequence, position: head, time: event.time.milliseconds)
        if let change = event.change { try directory.apply(change, to: event.conversation, at: head) }
    }

    // MARK: Repeated keys

    /// What was stored when the sender used this key before; nil if the key is new. A hash only gives candidates; the
    /// log tells whether the key is the same.
    private func duplicate(of event: Append, _ hash: UInt64) throws -> Outcome? {
        do {
            return try indexer.keys.first(hash) { try stored(at: $0, for: event) }
        } catch let failure as StorageFailure where failure.isDamage {
            // Storing it now might store it twice.
            reporter.note(.damagedIndex, "the key index can't be read: \(failure)")
            return .refused(.unavailable)
        }
    }

    private func stored(at position: Int64, for event: Append) throws -> Outcome? {
        switch try log.find(at: position) {
        case .missing: return nil
        case .damaged:
            // The hash matches, so the message was stored, but there is no row left to repeat the answer from.
            noteDamage(at: position)
            return .refused(.gone)
        case .row(let row):
            let first = row.event
            guard first.sender == event.sender, first.key == event.key else { return nil }
            // Rows of an erased conversation count as removed, even if some are still there.
            guard directory.conversation(first.conversation.value) != nil else { return nil }
            return .duplicate(first.position, first.sequence, first.conversation, first.time)
        }
    }

    func noteDamage(at position: Int64) {
        reporter.note(.damagedRow, "the row at position \(position) is damaged and left out")
    }
}
