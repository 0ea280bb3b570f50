import RoostCore
import RoostProtocol

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
        var last = conversations[event.conversation.value]?.lastSequence
        if case .create = event.change {
            // A number is never given twice, at least not while rows of its first life are left.
            let number = event.conversation.value
            guard last == nil, !erasures.contains(where: { $0.conversation == number }) else {
                return .refused(.badRequest)
            }
            last = 0
        }
        guard let last else { return .refused(.notFound) }

        let outcome: Outcome
        switch event.kind {
        case .message:
            guard event.reference == .none || isMessage(event.reference, upTo: last) else { return .refused(.notFound) }
            outcome = .stored(Position(head + 1), Sequence(last + 1))
        case .edit: outcome = try edit(event)
        case .delete: outcome = try delete(event)
        case .react: outcome = try react(event)
        case .conversation: outcome = .stored(Position(head + 1), Sequence(last))
        }
        guard case .stored = outcome else { return outcome }
        head += 1
        if case .erase = event.change {
            try erase(event.conversation)
            return outcome
        }
        try insert(event, sequence: event.kind == .message ? last + 1 : last, keyHash)
        if let change = event.change { try apply(change, in: event.conversation, at: head) }
        return outcome
    }

    /// Messages are dense and go only with their conversation, so a sequence in range is a message.
    func isMessage(_ sequence: Sequence, upTo last: Int64) -> Bool {
        sequence.value >= 1 && sequence.value <= last
    }

    /// The row at `head`.
    private func insert(_ event: Append, sequence: Int64, _ keyHash: UInt64) throws {
        let row = statements.insertRow
        row.bind(1, head)
        row.bind(2, event.conversation.value)
        row.bind(3, sequence)
        row.bind(4, Int32(event.kind.rawValue))
        row.bind(5, event.sender.value)
        row.bind(6, event.time.milliseconds)
        if event.reference == .none { row.bindNull(7) } else { row.bind(7, event.reference.value) }
        if event.flag { row.bind(8, Int32(1)) } else { row.bindNull(8) }
        try scratch.withTexts { device, key, label in
            try row.bind(9, borrowedText: device)
            try row.bind(10, borrowedText: key)
            try row.bind(11, borrowedText: label)
            // An edit's body is the message's from now on.
            guard event.kind != .edit else {
                row.bindNull(12)
                return try row.run()
            }
            try event.body.withUnsafeBytes { body in
                try row.bind(12, borrowedBlob: body)
                try row.run()
            }
        }
        let number = event.conversation.value
        tail.add(Tail.Entry(position: head, sequence: sequence, isMessage: event.kind == .message), to: number)
        if !event.key.isEmpty { keys.add(keyHash, head) }
        conversations[number] = Conversation(
            lastSequence: sequence, lastPosition: head, lastTime: event.time.milliseconds)
    }
}
