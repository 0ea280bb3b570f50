import RoostCore
import RoostWire

/// Members' unread mentions, by conversation. The rows of user 0 are those of all members together. Members read on, so
/// rows go again: those of a member up to what it has read, those that are too many, the oldest first, and those of a
/// member who leaves. On the writer's thread, in its transactions.
struct MentionTable {
    /// Stands for all members.
    static let everybody = UserNumber.none

    private let insert: Statement
    private let trim: Statement
    private let remove: Statement
    private let erased: ErasedRows

    init(_ database: Database) throws {
        insert = try database.prepare(
            "INSERT OR IGNORE INTO mention (conversation, user, sequence, author) VALUES (?1, ?2, ?3, ?4)")
        trim = try database.prepare(
            """
            DELETE FROM mention WHERE conversation = ?1 AND user = ?2 AND sequence <= (
                SELECT sequence FROM mention WHERE conversation = ?1 AND user = ?2
                ORDER BY sequence DESC LIMIT 1 OFFSET ?3)
            """)
        remove = try database.prepare("DELETE FROM mention WHERE conversation = ?1 AND user = ?2 AND sequence <= ?3")
        erased = try ErasedRows(of: "mention", key: "conversation, user, sequence", database)
    }

    /// A message mentions these users. Its author needn't read it.
    func add(_ mention: Mention, for users: [UserNumber], in conversation: ConversationNumber) throws {
        for user in users where user != mention.author {
            insert.bind(1, conversation.value)
            insert.bind(2, user.value)
            insert.bind(3, mention.sequence.value)
            insert.bind(4, mention.author.value)
            try insert.run()
            trim.bind(1, conversation.value)
            trim.bind(2, user.value)
            trim.bind(3, Int64(Limits().mentionsKept))
            try trim.run()
        }
    }

    /// The user has read everything up to this message; `max` if it has left.
    func remove(of user: UserNumber, in conversation: ConversationNumber, upTo sequence: SequenceNumber) throws {
        remove.bind(1, conversation.value)
        remove.bind(2, user.value)
        remove.bind(3, sequence.value)
        try remove.run()
    }

    /// Removes up to `limit` rows of an erased conversation. Returns whether there were any.
    func removeAll(of conversation: Int32, limit: Int) throws -> Bool {
        try erased.remove(of: conversation, limit: limit)
    }

    /// All mentions, in order, by conversation and user.
    static func load(_ database: Database) throws -> [ConversationNumber: [UserNumber: [Mention]]] {
        let query = try database.prepare(
            "SELECT conversation, user, sequence, author FROM mention ORDER BY conversation, user, sequence")
        var found: [ConversationNumber: [UserNumber: [Mention]]] = [:]
        while try query.step() {
            found[ConversationNumber(query.int32(0)), default: [:]][UserNumber(query.int32(1)), default: []]
                .append(Mention(SequenceNumber(query.int64(2)), by: UserNumber(query.int32(3))))
        }
        return found
    }
}
