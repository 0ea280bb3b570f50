import RoostCore
import RoostWire

extension SQLiteWriter {
    /// Positions searched for rows of an erased conversation if the index can't name them.
    private static let searchedPositions: Int64 = 8_192

    /// Forgets the conversation. Its rows can't be reached any more, because rows of an unknown conversation aren't
    /// read; `purge` removes them.
    func erase(_ conversation: ConversationNumber) throws {
        try directory.remove(conversation: conversation)
        try erasures.add(conversation.value, upTo: head)
        // The event has a position but no row.
        try meta.set("head_floor", to: head)
    }

    /// Removes at most `limit` rows of the oldest erased conversation, as soon as the index holds all of them. Of a row
    /// with a key, sender and key stay, so that a retry isn't stored a second time. Runs inside a transaction. Returns
    /// whether it removed anything.
    func purge(rows limit: Int) throws -> Bool {
        guard let erasure = erasures.first, indexer.holds(upTo: erasure.upTo) else { return false }
        if try reactions.removeAll(of: erasure.conversation, limit: limit) { return true }
        if try directory.mentions.removeAll(of: erasure.conversation, limit: limit) { return true }
        if try directory.threads.removeAll(of: erasure.conversation, limit: limit) { return true }
        if try removeRows(of: erasure, limit: limit) { return true }
        try indexer.removeBlocks(limit, of: erasure.conversation)
        if database.changes < limit { try erasures.finishFirst() }
        return true
    }

    private func removeRows(of erasure: Erasures.Erasure, limit: Int) throws -> Bool {
        do {
            let rows = try indexer.indexedRows(
                of: erasure.conversation, above: erasure.removedTo, upTo: erasure.upTo, limit: limit)
            for row in rows { try removeRow(at: row.position, of: erasure.conversation) }
            guard let last = rows.last else { return false }
            erasures.note(removedTo: last.position)
            return true
        } catch let failure as StorageFailure where failure.isIndexDamage {
            reporter.note(.damagedIndex, "\(failure)")
            return try searchRows(of: erasure)
        }
    }

    /// Without the index: searches the next rows of the log, of all conversations.
    private func searchRows(of erasure: Erasures.Erasure) throws -> Bool {
        guard erasure.removedTo < erasure.upTo else { return false }
        let end = min(erasure.upTo, erasure.removedTo + SQLiteWriter.searchedPositions)
        var positions: [Int64] = []
        try log.walk(above: erasure.removedTo, upTo: end) { row in
            if row.conversation == erasure.conversation { positions.append(row.position) }
            return true
        } damaged: { _ in
            true
        }
        for position in positions { try removeRow(at: position, of: erasure.conversation) }
        erasures.note(removedTo: end)
        return true
    }

    private func removeRow(at position: Int64, of conversation: Int32) throws {
        checkpoints.erasedTexts.note()
        switch try log.find(at: position) {
        case .row(let row):
            guard row.event.conversation.value == conversation else { return }
            if row.event.kind == .message { expiry.changed(at: position, by: -row.event.body.count) }
            guard row.event.key.isEmpty else { return try editor.keepKey(of: row) }
        case .damaged: noteDamage(at: position)
        case .missing: return
        }
        try editor.remove(at: position)
    }
}
