/// What the writer says to SQLite, prepared once.
struct WriterStatements {
    let begin: Statement
    let commit: Statement
    let insertBlock: Statement
    let replaceBlock: Statement
    let deleteBlock: Statement
    let hasReaction: Statement
    let countReactions: Statement
    let addReaction: Statement
    let removeReaction: Statement
    let raiseCount: Statement
    let lowerCount: Statement
    let dropCount: Statement
    let indexEvents: Statement
    let stageEvents: Statement
    let clearStages: Statement
    let updateLast: Statement
    let setMeta: Statement
    let events: EventIndex

    static let hasReactionSQL = """
        SELECT 1 FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND user = ?3 AND reaction = ?4
        """
    static let countReactionsSQL = """
        SELECT count(*) FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND user = ?3
        """

    init(_ database: Database) throws {
        begin = try database.prepare("BEGIN IMMEDIATE")
        commit = try database.prepare("COMMIT")
        insertBlock = try database.prepare("INSERT INTO log (position, rows) VALUES (?1, ?2)")
        replaceBlock = try database.prepare("UPDATE log SET rows = ?2 WHERE position = ?1")
        deleteBlock = try database.prepare("DELETE FROM log WHERE position = ?1")
        hasReaction = try database.prepare(WriterStatements.hasReactionSQL)
        countReactions = try database.prepare(WriterStatements.countReactionsSQL)
        addReaction = try database.prepare(
            "INSERT INTO reaction (conversation, sequence, user, reaction) VALUES (?1, ?2, ?3, ?4)")
        removeReaction = try database.prepare(
            "DELETE FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND user = ?3 AND reaction = ?4")
        raiseCount = try database.prepare(
            """
            INSERT INTO reaction_count (conversation, sequence, reaction, count) VALUES (?1, ?2, ?3, 1)
            ON CONFLICT DO UPDATE SET count = count + 1
            """)
        lowerCount = try database.prepare(
            "UPDATE reaction_count SET count = count - 1 WHERE conversation = ?1 AND sequence = ?2 AND reaction = ?3")
        dropCount = try database.prepare(
            """
            DELETE FROM reaction_count WHERE conversation = ?1 AND sequence = ?2 AND reaction = ?3 AND count <= 0
            """)
        // Blocks of a merge that a crash cut short are written again, possibly with more rows.
        indexEvents = try database.prepare(
            "INSERT OR REPLACE INTO event_block (conversation, before, position, rows) VALUES (?1, ?2, ?3, ?4)")
        stageEvents = try database.prepare(
            "INSERT INTO event_stage (conversation, before, position, rows, up_to) VALUES (?1, ?2, ?3, ?4, ?5)")
        clearStages = try database.prepare("DELETE FROM event_stage")
        updateLast = try database.prepare(
            "UPDATE conversation SET last_sequence = ?2, last_position = ?3, last_time = ?4 WHERE number = ?1")
        setMeta = try database.prepare("UPDATE meta SET value = ?2 WHERE name = ?1")
        events = try EventIndex(database)
    }
}
