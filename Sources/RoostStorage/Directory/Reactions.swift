import RoostCore
import RoostWire

/// The reactions to messages by user, and the counts shown in history. On the writer's thread, in its transactions.
struct Reactions {
    /// Queries of committed rows, outside the transaction.
    private struct Committed {
        let has: Statement
        let count: Statement
        let total: Statement
    }

    static let hasSQL =
        "SELECT 1 FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND user = ?3 AND reaction = ?4"
    static let countSQL = "SELECT count(*) FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND user = ?3"

    private let has: Statement
    private let withheld: Statement
    private let count: Statement
    private let add: Statement
    private let remove: Statement
    private let raise: Statement
    private let lower: Statement
    private let drop: Statement
    private let erased: [ErasedRows]
    private let committed: Committed

    /// `lookUps`: a connection for reading; for an in-memory store the same.
    init(_ database: Database, lookUps: Database) throws {
        committed = Committed(
            has: try lookUps.prepare(Reactions.hasSQL), count: try lookUps.prepare(Reactions.countSQL),
            total: try lookUps.prepare(
                "SELECT count FROM reaction_count WHERE conversation = ?1 AND sequence = ?2 AND reaction = ?3"))
        has = try database.prepare(Reactions.hasSQL)
        withheld = try database.prepare("\(Reactions.hasSQL) AND withheld <> 0")
        count = try database.prepare(Reactions.countSQL)
        add = try database.prepare(
            "INSERT INTO reaction (conversation, sequence, user, reaction, withheld) VALUES (?1, ?2, ?3, ?4, ?5)")
        remove = try database.prepare(
            "DELETE FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND user = ?3 AND reaction = ?4")
        raise = try database.prepare(
            """
            INSERT INTO reaction_count (conversation, sequence, reaction, count) VALUES (?1, ?2, ?3, 1)
            ON CONFLICT DO UPDATE SET count = count + 1
            """)
        lower = try database.prepare(
            "UPDATE reaction_count SET count = count - 1 WHERE conversation = ?1 AND sequence = ?2 AND reaction = ?3")
        drop = try database.prepare(
            """
            DELETE FROM reaction_count WHERE conversation = ?1 AND sequence = ?2 AND reaction = ?3 AND count <= 0
            """)
        erased = [
            try ErasedRows(of: "reaction", key: "conversation, sequence, user, reaction", database),
            try ErasedRows(of: "reaction_count", key: "conversation, sequence, reaction", database),
        ]
    }

    /// Reads the rows that the event is about to change. Throws if SQLite finds one of their pages damaged: in the
    /// transaction that would cost the whole batch (see `CommittedLog`).
    func checkReadable(_ event: Append) throws {
        try bind(committed.has, event)
        bindMessage(committed.count, event)
        committed.count.bind(3, event.sender.value)
        bindMessage(committed.total, event)
        try committed.total.bind(3, copying: event.label)
        for query in [committed.has, committed.count, committed.total] { _ = try query.first { _ in true } }
    }

    /// Whether the sender of the event has given its reaction.
    func has(_ event: Append) throws -> Bool {
        try bind(has, event)
        return try has.first { _ in true } ?? false
    }

    /// Whether the other user of the direct conversation doesn't see the reaction that the event is about.
    func isWithheld(_ event: Append) throws -> Bool {
        try bind(withheld, event)
        return try withheld.first { _ in true } ?? false
    }

    /// Number of different reactions that the sender of the event has given to its message.
    func count(_ event: Append) throws -> Int64 {
        bindMessage(count, event)
        count.bind(3, event.sender.value)
        return try count.first { $0.int64(0) } ?? 0
    }

    /// Adds or removes the reaction, as the event says.
    /// - Parameter isWithheld: whether the other user of the direct conversation doesn't see it.
    func apply(_ event: Append, isWithheld: Bool) throws {
        let change = event.flag ? remove : add
        try bind(change, event)
        if !event.flag { change.bind(5, Int32(isWithheld ? 1 : 0)) }
        try change.run()
        for count in event.flag ? [lower, drop] : [raise] {
            bindMessage(count, event)
            try count.bind(3, copying: event.label)
            try count.run()
        }
    }

    /// Removes up to `limit` reactions to messages of a conversation. Returns whether there were any.
    func removeAll(of conversation: Int32, limit: Int) throws -> Bool {
        for rows in erased where try rows.remove(of: conversation, limit: limit) { return true }
        return false
    }

    private func bindMessage(_ statement: Statement, _ event: Append) {
        statement.bind(1, event.conversation.value)
        statement.bind(2, event.reference.value)
    }

    private func bind(_ statement: Statement, _ event: Append) throws {
        bindMessage(statement, event)
        statement.bind(3, event.sender.value)
        try statement.bind(4, copying: event.label)
    }
}
