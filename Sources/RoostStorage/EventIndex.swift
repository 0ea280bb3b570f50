import RoostProtocol

/// Look-ups in the event index, on one connection. It holds (conversation, sequence, position) of every row; a message
/// is the first row with its sequence. It is only asked for what is at or below the tail's floor. Costs are seeks:
/// none grows with the number of rows but by the depth of the tree.
struct EventIndex {
    private let message: Statement
    private let last: Statement
    private let rows: Statement

    static let messageSQL = """
        SELECT position FROM event_index WHERE conversation = ?1 AND sequence = ?2 ORDER BY position LIMIT 1
        """
    // Slices of a merge under way may be in the index already: positions above the floor don't count.
    static let lastSQL = """
        SELECT sequence FROM event_index WHERE conversation = ?1 AND position <= ?2
        ORDER BY sequence DESC, position DESC LIMIT 1
        """
    static let rowsSQL = """
        SELECT sequence, position FROM event_index
        WHERE conversation = ?1 AND (sequence, position) > (?2, ?3) ORDER BY sequence, position LIMIT ?4
        """

    init(_ database: Database) throws {
        message = try database.prepare(EventIndex.messageSQL)
        last = try database.prepare(EventIndex.lastSQL)
        rows = try database.prepare(EventIndex.rowsSQL)
    }

    /// Where a message is. The caller knows that the sequence is one of those in the index.
    func position(of sequence: Int64, in conversation: Int32) throws -> Int64? {
        message.bind(1, conversation)
        message.bind(2, sequence)
        return try message.first { $0.int64(0) }
    }

    /// Sequence of the last row at or below `floor`; nil if there is none.
    func lastSequence(of conversation: Int32, floor: Int64) throws -> Int64? {
        last.bind(1, conversation)
        last.bind(2, floor)
        return try last.first { $0.int64(0) }
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
        rows.bind(1, conversation)
        rows.bind(2, sequence)
        rows.bind(3, position)
        rows.bind(4, Int64(limit))
        while try rows.step() {
            let position = rows.int64(1)
            // Not a condition of the query: that would read on to the end of the conversation.
            guard position <= upTo else { return rows.reset() }
            found.append((rows.int64(0), position))
        }
    }

    private func isAbove(_ position: Int64, _ sequence: Int64, in conversation: Int32) throws -> Bool {
        guard let found = try self.position(of: sequence, in: conversation) else {
            throw StorageFailure.inconsistent("message \(sequence) of conversation \(conversation) is not in the index")
        }
        return found > position
    }
}
