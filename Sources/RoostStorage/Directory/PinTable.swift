import RoostCore
import RoostWire

/// Which messages are pinned, a few in a conversation. What is deleted, or has disappeared, isn't pinned any more. On
/// the writer's thread, in its transactions.
struct PinTable {
    private let insert: Statement
    private let delete: Statement
    private let deleteAll: Statement
    private let find: Statement
    private let countAll: Statement

    init(_ database: Database) throws {
        insert = try database.prepare(
            """
            REPLACE INTO pin (conversation, sequence, user, time, position, author, withheld)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        delete = try database.prepare("DELETE FROM pin WHERE conversation = ?1 AND sequence = ?2")
        deleteAll = try database.prepare("DELETE FROM pin WHERE conversation = ?1")
        find = try database.prepare("SELECT 1 FROM pin WHERE conversation = ?1 AND sequence = ?2")
        countAll = try database.prepare("SELECT count(*) FROM pin WHERE conversation = ?1")
    }

    func add(_ pin: StoredPin, in conversation: ConversationNumber) throws {
        insert.bind(1, conversation.value)
        insert.bind(2, pin.sequence.value)
        insert.bind(3, pin.user.value)
        insert.bind(4, pin.time.milliseconds)
        insert.bind(5, pin.position.value)
        insert.bind(6, pin.author.value)
        insert.bind(7, Int32(pin.isWithheld ? 1 : 0))
        try insert.run()
    }

    func remove(_ sequence: SequenceNumber, of conversation: ConversationNumber) throws {
        delete.bind(1, conversation.value)
        delete.bind(2, sequence.value)
        try delete.run()
    }

    /// Removes those of a conversation that is erased.
    func removeAll(of conversation: ConversationNumber) throws {
        deleteAll.bind(1, conversation.value)
        try deleteAll.run()
    }

    func has(_ sequence: SequenceNumber, of conversation: ConversationNumber) throws -> Bool {
        find.bind(1, conversation.value)
        find.bind(2, sequence.value)
        return try find.first { _ in true } ?? false
    }

    /// Whether a conversation has as many as it may have.
    func isFull(_ conversation: ConversationNumber) throws -> Bool {
        countAll.bind(1, conversation.value)
        return try countAll.first { $0.int64(0) >= Int64(Limits().pinsPerConversation) } ?? false
    }

    /// All pinned messages, in the order in which they were pinned, by conversation.
    static func read(_ database: Database) throws -> [ConversationNumber: [StoredPin]] {
        let query = try database.prepare(
            """
            SELECT conversation, sequence, user, time, position, author, withheld FROM pin
            ORDER BY conversation, position, sequence
            """)
        var found: [ConversationNumber: [StoredPin]] = [:]
        while try query.step() {
            found[ConversationNumber(query.int32(0)), default: []].append(
                StoredPin(
                    SequenceNumber(query.int64(1)), of: UserNumber(query.int32(5)), by: UserNumber(query.int32(2)),
                    at: Timestamp(milliseconds: query.int64(3)), Position(query.int64(4)),
                    isWithheld: query.int32(6) != 0))
        }
        return found
    }
}
