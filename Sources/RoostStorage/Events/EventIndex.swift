import RoostWire

/// Look-ups in the event index, on one connection: finds the rows of a conversation. The index holds blocks of
/// consecutive rows of one conversation. A block is found by the position of its first row or by the sequence before
/// it. Only positions at or below the tail's floor may be asked for. The cost is seeks and grows with the depth of the
/// tree, not with the number of rows.
///
/// A damaged block throws `damagedIndex`.
struct EventIndex {
    private let bySequence: Statement
    private let byPosition: Statement
    private let after: Statement

    static let bySequenceSQL = """
        SELECT conversation, position, before, checksum, rows FROM event_block
        WHERE conversation = ?1 AND before < ?2 ORDER BY before DESC, position DESC LIMIT 1
        """
    // The index may already contain slices of an unfinished merge, so the caller passes a position at or below the
    // floor.
    static let byPositionSQL = """
        SELECT conversation, position, before, checksum, rows FROM event_block
        WHERE conversation = ?1 AND position <= ?2 ORDER BY position DESC LIMIT 1
        """
    static let afterSQL = """
        SELECT conversation, position, before, checksum, rows FROM event_block
        WHERE conversation = ?1 AND position > ?2 ORDER BY position
        """

    init(_ database: Database) throws {
        bySequence = try database.prepare(EventIndex.bySequenceSQL)
        byPosition = try database.prepare(EventIndex.byPositionSQL)
        after = try database.prepare(EventIndex.afterSQL)
    }

    /// The position of a message; nil if the index doesn't have it.
    func position(of sequence: Int64, in conversation: Int32) throws -> Int64? {
        bySequence.bind(1, conversation)
        bySequence.bind(2, sequence)
        return try bySequence.first { block in
            try rows(of: block).first { $0.isMessage && $0.sequence == sequence }?.position
        } ?? nil
    }

    /// Sequence of the last row at or below a position; nil if there is none.
    func sequence(at position: Int64, in conversation: Int32) throws -> Int64? {
        byPosition.bind(1, conversation)
        byPosition.bind(2, position)
        return try byPosition.first { block in
            try rows(of: block).reduce(nil as Int64?) { $1.position <= position ? $1.sequence : $0 }
        } ?? nil
    }

    /// Appends to `found`, in order, at most `limit` rows above a position and up to `upTo`.
    func rows(
        of conversation: Int32, above position: Int64, upTo: Int64, limit: Int, into found: inout [EventEntry]
    ) throws {
        let end = found.count + limit
        // First the block that contains the position or ends before it, then the following ones.
        byPosition.bind(1, conversation)
        byPosition.bind(2, position)
        _ = try byPosition.first { try take(rows(of: $0), above: position, upTo: upTo, end: end, into: &found) }
        guard found.count < end else { return }
        after.bind(1, conversation)
        after.bind(2, position)
        do {
            while try after.step() {
                // The end isn't a condition of the query: that query would read to the end of the conversation.
                let isDone = try take(rows(of: after), above: position, upTo: upTo, end: end, into: &found)
                if isDone { return after.reset() }
            }
        } catch {
            after.reset()
            throw error
        }
    }

    /// Returns whether enough rows have been taken.
    private func take(
        _ rows: EventRows, above position: Int64, upTo: Int64, end: Int, into found: inout [EventEntry]
    ) throws -> Bool {
        for row in rows where row.position > max(position, found.last?.position ?? .min) {
            guard row.position <= upTo, found.count < end else { return true }
            found.append(row)
        }
        return false
    }

    private func rows(of block: Statement) throws -> EventRows {
        let (conversation, position, before) = (block.int32(0), block.int64(1), block.int64(2))
        let bytes = block.bytes(4)
        guard block.int64(3) == EventBlock.checksum(conversation, position: position, before: before, bytes: bytes)
        else {
            throw StorageFailure.damagedIndex("the rows of conversation \(conversation) from position \(position)")
        }
        return EventRows(before: before, position: position, bytes: bytes)
    }
}

/// The statements that change the event index. Used only by the writer, in its transactions.
struct EventIndexEditor {
    private let insert: Statement
    private let remove: Statement

    init(_ database: Database) throws {
        // After a merge cut short by a crash, its blocks are written again, possibly with more rows.
        insert = try database.prepare(
            """
            INSERT OR REPLACE INTO event_block (conversation, position, before, checksum, rows)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        remove = try database.prepare(
            """
            DELETE FROM event_block WHERE (conversation, position) IN (
                SELECT conversation, position FROM event_block WHERE conversation = ?1 LIMIT ?2)
            """)
    }

    func write(_ block: EventBlock) throws {
        insert.bind(1, block.conversation)
        insert.bind(2, block.position)
        insert.bind(3, block.before)
        insert.bind(4, block.checksum)
        try block.bytes.withUnsafeBytes { bytes in
            try insert.bind(5, borrowedBlob: bytes)
            try insert.run()
        }
    }

    /// Removes up to `limit` blocks of a conversation.
    func removeBlocks(_ limit: Int, of conversation: Int32) throws {
        remove.bind(1, conversation)
        remove.bind(2, Int64(limit))
        try remove.run()
    }
}
