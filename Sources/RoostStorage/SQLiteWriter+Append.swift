import RoostCore
import RoostWire

extension SQLiteWriter {
    /// Decides about one event and stores it.
    func append(_ event: Append) throws -> Outcome {
        scratch.load(event)
        var keyHash: UInt64 = 0
        if !event.key.isEmpty {
            keyHash = scratch.withTexts { _, key, _ in hash(event.sender.value, key) }
            if let found = try duplicate(of: event, keyHash) { return found }
        }
        guard !event.isProbe else { return .refused(.notFound) }
        var found = conversations[event.conversation.value]
        if case .create = event.change {
            // A number is never given twice, at least not while rows of its first life are left.
            let number = event.conversation.value
            guard found == nil, !erasures.contains(where: { $0.conversation == number }) else {
                return .refused(.badRequest)
            }
            found = Conversation()
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
        if case .create = event.change { conversations[event.conversation.value] = conversation }
        try insert(event, conversation, sequence: event.kind == .message ? last + 1 : last, keyHash)
        if let change = event.change { try apply(change, in: event.conversation, at: head) }
        return outcome
    }

    /// Messages are dense and go only with their conversation, so a sequence in range is a message.
    func isMessage(_ sequence: SequenceNumber, upTo last: Int64) -> Bool {
        sequence.value >= 1 && sequence.value <= last
    }

    /// The row at `head`.
    private func insert(_ event: Append, _ conversation: Conversation, sequence: Int64, _ keyHash: UInt64) throws {
        try addRow(event, sequence: sequence)
        if !event.key.isEmpty { keys.add(keyHash, head) }
        conversation.lastSequence = sequence
        conversation.lastPosition = head
        conversation.lastTime = event.time.milliseconds
    }
}
