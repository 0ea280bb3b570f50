import RoostWire

/// Look-ups in the event index, on one connection. It holds (sequence, position) of every row in blocks, each of rows
/// of one conversation that are next to each other; a message is the first row with its sequence. It is only asked for
/// what is at or below the tail's floor. Costs are seeks: none grows with the number of rows but by the depth of the
/// tree.
struct EventIndex {
    private let message: Statement
    private let last: Statement
    private let start: Statement
    private let blocks: Statement

    static let messageSQL = """
        SELECT before, position, rows FROM event_block WHERE conversation = ?1 AND before < ?2
        ORDER BY before DESC, position DESC LIMIT 1
        """
    // Slices of a merge under way may be in the index already: positions above the floor don't count.
    static let lastSQL = """
        SELECT before, position, rows FROM event_block WHERE conversation = ?1 AND position <= ?2
        ORDER BY before DESC, position DESC LIMIT 1
        """
    static let startSQL = """
        SELECT before, position FROM event_block WHERE conversation = ?1 AND (before, position) <= (?2, ?3)
        ORDER BY before DESC, position DESC LIMIT 1
        """
    static let blocksSQL = """
        SELECT before, position, rows FROM event_block WHERE conversation = ?1 AND (before, position) >= (?2, ?3)
        ORDER BY before, position
        """

    init(_ database: Database) throws {
        message = try database.prepare(EventIndex.messageSQL)
        last = try database.prepare(EventIndex.lastSQL)
        start = try database.prepare(EventIndex.startSQL)
        blocks = try database.prepare(EventIndex.blocksSQL)
    }

    /// Where a message is. The caller knows that the sequence is one of those in the index.
    func position(of sequence: Int64, in conversation: Int32) throws -> Int64? {
        message.bind(1, conversation)
        message.bind(2, sequence)
        return try message.first { block in
            rows(of: block).first { $0.isMessage && $0.sequence == sequence }?.position
        } ?? nil
    }

    /// Sequence of the last row at or below `floor`; nil if there is none.
    func lastSequence(of conversation: Int32, floor: Int64) throws -> Int64? {
        last.bind(1, conversation)
        last.bind(2, floor)
        return try last.first { block in
            rows(of: block).reduce(nil as Int64?) { $1.position <= floor ? $1.sequence : $0 }
        } ?? nil
    }

    /// The sequence that was the last one at `position`, at most `high`. Looks in growing steps down from `high`, then
    /// halves: devices mostly ask for what is new, so it takes log2 of the messages above, not of all.
    func sequence(at position: Int64, in conversation: Int32, from high: Int64) throws -> Int64 {
        var upper = high + 1
        var lower = high
        var step: Int64 = 1
        while lower > 0, try isAbove(position, lower, in: conversation) {
            upper = lower
            lower = max(0, lower - step)
            step *= 2
        }
        while upper - lower > 1 {
            let middle = lower + (upper - lower) / 2
            if try isAbove(position, middle, in: conversation) { upper = middle } else { lower = middle }
        }
        return lower
    }

    /// Rows above (sequence, position), up to the position `upTo`, at most `limit`, in order, appended to `found`.
    func rows(
        of conversation: Int32, above sequence: Int64, _ position: Int64, upTo: Int64, limit: Int,
        into found: inout [(sequence: Int64, position: Int64)]
    ) throws {
        // The block that the place is in, or that ends before it.
        start.bind(1, conversation)
        start.bind(2, sequence)
        start.bind(3, position)
        let place = try start.first { ($0.int64(0), $0.int64(1)) } ?? (sequence, position)
        blocks.bind(1, conversation)
        blocks.bind(2, place.0)
        blocks.bind(3, place.1)
        let end = found.count + limit
        while try blocks.step() {
            for row in rows(of: blocks) where (row.sequence, row.position) > (sequence, position) {
                // Not a condition of the query: that would read on to the end of the conversation.
                guard row.position <= upTo, found.count < end else { return blocks.reset() }
                found.append((row.sequence, row.position))
            }
        }
    }

    private func rows(of block: Statement) -> EventRows {
        EventRows(before: block.int64(0), position: block.int64(1), bytes: block.bytes(2))
    }

    private func isAbove(_ position: Int64, _ sequence: Int64, in conversation: Int32) throws -> Bool {
        guard let found = try self.position(of: sequence, in: conversation) else {
            throw StorageFailure.inconsistent("message \(sequence) of conversation \(conversation) is not in the index")
        }
        return found > position
    }
}
