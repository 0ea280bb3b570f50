import RoostCore
import RoostWire

extension SQLiteWriter {
    /// What was stored when the sender used this key before; nil if it never did. Memory first, then the index. A hash
    /// only names candidates: the log says whose they are.
    func duplicate(of event: Append, _ keyHash: UInt64) throws -> Outcome? {
        try scratch.withTexts { _, key, _ in
            if let found = try keys.first(keyHash, { try stored(at: $0, event.sender.value, key) }) { return found }
            guard filter.mayHold(keyHash) else { return nil }
            return try index.first(keyHash) { try stored(at: $0, event.sender.value, key) }
        }
    }

    /// Goes on filling the filter, by about so many keys. Returns whether there was anything to do.
    func fillFilter(keys count: Int) throws -> Bool {
        guard let next = filter.next else { return false }
        let width = KeyRun.bits(keys: index.keys, perBlock: count)
        let prefix = next.leading(width)
        for entry in try index.entries(of: prefix, width: width) { filter.add(entry.hash) }
        let isLast = prefix + 1 >= 1 << UInt64(width)
        filter.cover(below: isLast ? nil : (prefix + 1) << UInt64(64 - width))
        return true
    }

    private func stored(at position: Int64, _ sender: Int32, _ key: UnsafeRawBufferPointer) throws -> Outcome? {
        try row(at: position) { row -> Outcome? in
            guard row.header.sender == sender, row.key.elementsEqual(key) else { return nil }
            // An erased conversation's rows are as good as gone, though they may not have been removed yet.
            let conversation = row.header.conversation
            guard conversations[conversation] != nil else { return nil }
            return .duplicate(
                Position(position), row.sequence, ConversationNumber(conversation),
                Timestamp(milliseconds: row.header.time))
        }
    }
}

extension LogRow {
    var kind: EventKind? { EventKind(rawValue: header.kind) }

    /// That of the message it refers to, or the row's own.
    var sequence: SequenceNumber {
        switch kind {
        case .edit, .delete, .react: SequenceNumber(reference ?? 0)
        case .message, .conversation, nil: SequenceNumber(header.sequence)
        }
    }
}
