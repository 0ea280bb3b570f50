import RoostCore
import RoostWire

/// The messages of threads, by the message with which a thread began. Messages that were deleted or have disappeared
/// are in none. Derived from the log. On the writer's thread, in its transactions.
struct ThreadTable {
    private let insert: Statement
    private let remove: Statement
    private let erased: ErasedRows

    init(_ database: Database) throws {
        insert = try database.prepare(
            """
            INSERT INTO thread (conversation, root, sequence, time, withheld_by) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT DO UPDATE SET withheld_by = excluded.withheld_by
            """)
        remove = try database.prepare("DELETE FROM thread WHERE conversation = ?1 AND root = ?2 AND sequence = ?3")
        erased = try ErasedRows(of: "thread", key: "conversation, root, sequence", database)
    }

    /// A message with these extras was stored, or has them from now on.
    func add(
        _ extras: Extras?, _ sequence: SequenceNumber, by author: UserNumber, in conversation: ConversationNumber,
        at time: Timestamp
    ) throws {
        guard extras.thread != .none else { return }
        insert.bind(1, conversation.value)
        insert.bind(2, extras.thread.value)
        insert.bind(3, sequence.value)
        insert.bind(4, time.milliseconds)
        insert.bind(5, extras.isWithheld ? author.value : 0)
        try insert.run()
    }

    /// Nothing but a tombstone is left of a message.
    func remove(_ message: StoredEvent) throws {
        guard message.extras.thread != .none else { return }
        remove.bind(1, message.conversation.value)
        remove.bind(2, message.extras.thread.value)
        remove.bind(3, message.sequence.value)
        try remove.run()
    }

    /// Removes up to `limit` rows of an erased conversation. Returns whether there were any.
    func removeAll(of conversation: Int32, limit: Int) throws -> Bool {
        try erased.remove(of: conversation, limit: limit)
    }
}

/// Reads the threads for history, in the reader's transactions. Messages above the last one that the reader knows
/// aren't shown: no index may have them.
struct ThreadPages {
    private let count: Statement
    private let last: Statement
    private let oldest: Statement
    private let newest: Statement

    static let countSQL = """
        SELECT count(*) FROM (
            SELECT 1 FROM thread WHERE conversation = ?1 AND root = ?2 AND sequence <= ?3
                AND withheld_by IN (0, ?4) LIMIT ?5)
        """
    static let lastSQL = """
        SELECT sequence, time FROM thread WHERE conversation = ?1 AND root = ?2 AND sequence <= ?3
            AND withheld_by IN (0, ?4)
        ORDER BY sequence DESC LIMIT 1
        """
    static let pageSQL = """
        SELECT sequence FROM thread WHERE conversation = ?1 AND root = ?2 AND sequence BETWEEN ?3 AND ?4
        ORDER BY sequence
        """

    init(_ database: Database) throws {
        count = try database.prepare(ThreadPages.countSQL)
        last = try database.prepare(ThreadPages.lastSQL)
        oldest = try database.prepare("\(ThreadPages.pageSQL) LIMIT ?5")
        newest = try database.prepare("\(ThreadPages.pageSQL) DESC LIMIT ?5")
    }

    /// The thread that began with a message; nil if it has no messages. Messages withheld from the reader aren't
    /// counted.
    func summary(of message: StoredEvent, upTo end: Int64, for reader: UserNumber) throws -> ThreadSummary? {
        bind(last, message.conversation, message.sequence)
        last.bind(3, end)
        last.bind(4, reader.value)
        guard let found = try last.first({ ($0.int64(0), $0.int64(1)) }) else { return nil }
        bind(count, message.conversation, message.sequence)
        count.bind(3, end)
        count.bind(4, reader.value)
        count.bind(5, Int64(Limits().repliesCounted))
        return ThreadSummary(
            count: Int(clamping: try count.first { $0.int64(0) } ?? 1), last: SequenceNumber(found.0),
            time: Timestamp(milliseconds: found.1))
    }

    /// Messages of the thread that was asked for, in the order in which its page is filled.
    func page(_ request: HistoryRequest, in range: ClosedRange<Int64>, limit: Int) throws -> [Int64] {
        let query = request.isNewest ? newest : oldest
        bind(query, request.conversation, request.thread)
        query.bind(3, range.lowerBound)
        query.bind(4, range.upperBound)
        query.bind(5, Int64(limit))
        var found: [Int64] = []
        while try query.step() { found.append(query.int64(0)) }
        return found
    }

    private func bind(_ query: Statement, _ conversation: ConversationNumber, _ root: SequenceNumber) {
        query.bind(1, conversation.value)
        query.bind(2, root.value)
    }
}
