import RoostCore
import RoostWire

/// The pinned messages, a few in a conversation. A message that was deleted or has disappeared isn't pinned any more.
/// On the writer's thread, in its transactions.
struct PinTable {
    private let insert: Statement
    private let delete: Statement
    private let deleteAll: Statement
    private let hide: Statement
    private let find: Statement
    private let countShown: Statement
    private let countHidden: Statement

    init(_ database: Database) throws {
        insert = try database.prepare(
            """
            REPLACE INTO pin (conversation, sequence, user, time, position, author, hidden_from)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        delete = try database.prepare("DELETE FROM pin WHERE conversation = ?1 AND sequence = ?2")
        deleteAll = try database.prepare("DELETE FROM pin WHERE conversation = ?1")
        hide = try database.prepare("UPDATE pin SET hidden_from = ?3 WHERE conversation = ?1 AND sequence = ?2")
        find = try database.prepare("SELECT hidden_from FROM pin WHERE conversation = ?1 AND sequence = ?2")
        countShown = try database.prepare("SELECT count(*) FROM pin WHERE conversation = ?1 AND hidden_from <> ?2")
        countHidden = try database.prepare("SELECT count(*) FROM pin WHERE conversation = ?1 AND hidden_from = ?2")
    }

    /// A message was pinned: if it was for the other user alone, it is for both from now on.
    func pin(_ pin: StoredPin, in conversation: ConversationNumber) throws {
        guard try hiddenFrom(pin.sequence, of: conversation) == pin.user else { return try add(pin, in: conversation) }
        try hide(pin.sequence, of: conversation, from: .none)
    }

    /// Removes a pin. If the unpin is withheld from the other user, and the message was pinned for that user, it still
    /// is.
    func unpin(
        _ sequence: SequenceNumber, of conversation: ConversationNumber, by user: UserNumber, isWithheld: Bool
    ) throws {
        guard isWithheld, try hiddenFrom(sequence, of: conversation) == UserNumber.none,
            try count(countHidden, conversation, user) < Int64(Limits().pinsPerConversation)
        else { return try remove(sequence, of: conversation) }
        try hide(sequence, of: conversation, from: user)
    }

    func add(_ pin: StoredPin, in conversation: ConversationNumber) throws {
        insert.bind(1, conversation.value)
        insert.bind(2, pin.sequence.value)
        insert.bind(3, pin.user.value)
        insert.bind(4, pin.time.milliseconds)
        insert.bind(5, pin.position.value)
        insert.bind(6, pin.author.value)
        insert.bind(7, pin.hiddenFrom.value)
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

    /// The user who doesn't see the pin; `.none` if all see it, nil if the message isn't pinned.
    func hiddenFrom(_ sequence: SequenceNumber, of conversation: ConversationNumber) throws -> UserNumber? {
        find.bind(1, conversation.value)
        find.bind(2, sequence.value)
        return try find.first { UserNumber($0.int32(0)) }
    }

    /// Whether a conversation has as many for a user as it may have.
    func isFull(_ conversation: ConversationNumber, for user: UserNumber) throws -> Bool {
        try count(countShown, conversation, user) >= Int64(Limits().pinsPerConversation)
    }

    private func count(_ query: Statement, _ conversation: ConversationNumber, _ user: UserNumber) throws -> Int64 {
        query.bind(1, conversation.value)
        query.bind(2, user.value)
        return try query.first { $0.int64(0) } ?? 0
    }

    private func hide(_ sequence: SequenceNumber, of conversation: ConversationNumber, from user: UserNumber) throws {
        hide.bind(1, conversation.value)
        hide.bind(2, sequence.value)
        hide.bind(3, user.value)
        try hide.run()
    }

    /// All pinned messages, in the order in which they were pinned, by conversation.
    static func read(_ database: Database) throws -> [ConversationNumber: [StoredPin]] {
        let query = try database.prepare(
            """
            SELECT conversation, sequence, user, time, position, author, hidden_from FROM pin
            ORDER BY conversation, position, sequence
            """)
        var found: [ConversationNumber: [StoredPin]] = [:]
        while try query.step() {
            found[ConversationNumber(query.int32(0)), default: []].append(
                StoredPin(
                    SequenceNumber(query.int64(1)), of: UserNumber(query.int32(5)), by: UserNumber(query.int32(2)),
                    at: Timestamp(milliseconds: query.int64(3)), Position(query.int64(4)),
                    hiddenFrom: UserNumber(query.int32(6))))
        }
        return found
    }
}
