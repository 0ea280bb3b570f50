import RoostCore
import RoostWire

/// The table `veil`: the ends of direct conversations for users who don't get anything behind them. It has a row only
/// as long as nothing else has come since. On the writer's thread, in its transactions.
struct VeilTable {
    private let insert: Statement
    private let delete: Statement
    private let joinedAt: Statement
    private let beginAnew: Statement

    init(_ database: Database) throws {
        insert = try database.prepare(
            "REPLACE INTO veil (conversation, user, sequence, position, time) VALUES (?1, ?2, ?3, ?4, ?5)")
        delete = try database.prepare("DELETE FROM veil WHERE conversation = ?1")
        joinedAt = try database.prepare(
            "SELECT joined_at FROM member WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL")
        beginAnew = try database.prepare(
            """
            UPDATE member SET since = ?3, joined_after = ?3, joined_at = ?4
            WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL
            """)
    }

    func add(_ veil: Veil, of conversation: ConversationNumber) throws {
        insert.bind(1, conversation.value)
        insert.bind(2, veil.user.value)
        insert.bind(3, veil.sequence.value)
        insert.bind(4, veil.position.value)
        insert.bind(5, veil.time.milliseconds)
        try insert.run()
    }

    func remove(of conversation: ConversationNumber) throws {
        delete.bind(1, conversation.value)
        try delete.run()
    }

    /// Where the user has joined; nil if it is no member.
    func joinedAt(_ user: UserNumber, in conversation: ConversationNumber) throws -> Position? {
        joinedAt.bind(1, conversation.value)
        joinedAt.bind(2, user.value)
        return try joinedAt.first { Position($0.int64(0)) }
    }

    /// The conversation begins for the user with the event at this position.
    func begin(
        _ conversation: ConversationNumber, for user: UserNumber, at position: Int64, after last: Int64
    ) throws {
        beginAnew.bind(1, conversation.value)
        beginAnew.bind(2, user.value)
        beginAnew.bind(3, last)
        beginAnew.bind(4, position)
        try beginAnew.run()
    }

    /// All of them, by conversation.
    static func read(_ database: Database) throws -> [ConversationNumber: Veil] {
        let query = try database.prepare("SELECT conversation, user, sequence, position, time FROM veil")
        var found: [ConversationNumber: Veil] = [:]
        while try query.step() {
            found[ConversationNumber(query.int32(0))] = Veil(
                UserNumber(query.int32(1)), after: SequenceNumber(query.int64(2)), Position(query.int64(3)),
                Timestamp(milliseconds: query.int64(4)))
        }
        return found
    }
}

extension Directory {
    /// An event is about to be stored behind the end of a conversation, before the change that it makes. A withheld
    /// event begins a veil for its user, and another one ends the veil of a user who may see it.
    func veil(for event: Append, at position: Int64) throws {
        guard let conversation = conversation(event.conversation.value) else { return }
        if let veil = conversation.veil, veil.user != event.withheldFrom {
            conversation.veil = nil
            try veils.remove(of: event.conversation)
            try lift(veil, of: event.conversation, conversation, at: position)
        }
        guard event.withheldFrom != .none, conversation.veil == nil else { return }
        let veil = Veil(
            event.withheldFrom, after: SequenceNumber(conversation.lastSequence),
            Position(conversation.lastPosition), Timestamp(milliseconds: conversation.lastTime))
        conversation.veil = veil
        try veils.add(veil, of: event.conversation)
    }

    /// Ends a veil. Withheld messages never count as unread.
    private func lift(
        _ veil: Veil, of number: ConversationNumber, _ conversation: Conversation, at position: Int64
    ) throws {
        guard let joinedAt = try veils.joinedAt(veil.user, in: number) else { return }
        guard !veil.hidesAll(since: joinedAt) else {
            return try veils.begin(number, for: veil.user, at: position, after: conversation.lastSequence)
        }
        guard let messages = veil.messages(upTo: SequenceNumber(conversation.lastSequence)),
            var mark = try receipts.watermark(of: veil.user, in: number)?.mark
        else { return }
        mark.pass(messages)
        try setWatermark(of: veil.user, in: number, to: mark)
    }
}
