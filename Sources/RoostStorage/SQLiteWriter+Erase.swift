import RoostCore
import RoostWire

/// A conversation that was erased: it and its members go at once, its rows in slices.
struct Erasure {
    var conversation: Int32
    /// Its last row is at or below this position.
    var upTo: Int64
    /// The last row that was removed. Not stored: after a restart, the rows before are looked for in vain.
    var removed: (sequence: Int64, position: Int64) = (-1, 0)
}

extension SQLiteWriter {
    /// Forgets the conversation. Its rows can't be reached from now on, since nobody reads the rows of a conversation
    /// that isn't there; `purge` removes them.
    func erase(_ conversation: ConversationNumber) throws {
        let number = conversation.value
        conversations[number] = nil
        directory.deleteConversation.bind(1, number)
        try directory.deleteConversation.run()
        directory.deleteMembers.bind(1, number)
        try directory.deleteMembers.run()
        directory.insertErasure.bind(1, head)
        directory.insertErasure.bind(2, number)
        try directory.insertErasure.run()
        erasures.append(Erasure(conversation: number, upTo: head))
        // The event has a position but no row.
        try setMeta("head_floor", head)
    }

    /// Removes at most `rows` rows of the oldest erased conversation, once the index holds all of them. Runs inside a
    /// transaction. Returns whether it removed anything.
    func purge(rows: Int) throws -> Bool {
        guard let erasure = erasures.first, tail.floor >= erasure.upTo else { return false }
        let purge = try purgeStatements ?? PurgeStatements(database)
        purgeStatements = purge
        for reactions in [purge.reactions, purge.reactionCounts] {
            reactions.bind(1, erasure.conversation)
            reactions.bind(2, Int64(rows))
            try reactions.run()
            if database.changes > 0 { return true }
        }
        var found: [(sequence: Int64, position: Int64)] = []
        try statements.events.rows(
            of: erasure.conversation, above: erasure.removed.sequence, erasure.removed.position, upTo: erasure.upTo,
            limit: rows, into: &found)
        for row in found { try remove(row.position) }
        if let last = found.last {
            erasures[0].removed = last
            return true
        }
        purge.events.bind(1, erasure.conversation)
        purge.events.bind(2, Int64(rows))
        try purge.events.run()
        if database.changes < rows {
            directory.deleteErasure.bind(1, erasure.upTo)
            try directory.deleteErasure.run()
            erasures.removeFirst()
        }
        return true
    }

    /// Removes everything that is left of erased conversations, in transactions of bounded size. At start, so that
    /// numbers of erased conversations can be given anew.
    func purgeAll() throws {
        guard !erasures.isEmpty else { return }
        while tail.rows > 0 { _ = try mergeWhenIdle(isForced: true) }
        while try transact({ try purge(rows: bounds.erasedRowsWhenIdle) }) {}
    }

    private func remove(_ position: Int64) throws {
        let keyHash = try row(at: position) { row in
            row.key.isEmpty ? nil : hash(row.header.sender, row.key)
        }
        if let keyHash { try index.remove(KeyEntry(hash: keyHash, position: position)) }
        try replaceRow(at: position, by: nil)
    }
}

/// What removing rows takes, prepared when it is first needed.
struct PurgeStatements {
    let reactions: Statement
    let reactionCounts: Statement
    let events: Statement

    init(_ database: Database) throws {
        reactions = try database.prepare(
            """
            DELETE FROM reaction WHERE (conversation, sequence, user, reaction) IN (
                SELECT conversation, sequence, user, reaction FROM reaction WHERE conversation = ?1 LIMIT ?2)
            """)
        reactionCounts = try database.prepare(
            """
            DELETE FROM reaction_count WHERE (conversation, sequence, reaction) IN (
                SELECT conversation, sequence, reaction FROM reaction_count WHERE conversation = ?1 LIMIT ?2)
            """)
        events = try database.prepare(
            """
            DELETE FROM event_block WHERE (conversation, before, position) IN (
                SELECT conversation, before, position FROM event_block WHERE conversation = ?1 LIMIT ?2)
            """)
    }
}
