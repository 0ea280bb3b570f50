import RoostCore
import RoostWire

/// The table `restriction`: who is banned or timed out in a group, and which groups only admins write in. On the
/// writer's thread, in its transactions.
struct RestrictionTable {
    private let insert: Statement
    private let delete: Statement
    private let deleteOver: Statement
    private let deleteAll: Statement
    private let find: Statement

    private static let columns = "conversation, user, until, reason, by, time"

    init(_ database: Database) throws {
        insert = try database.prepare(
            "REPLACE INTO restriction (\(RestrictionTable.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        delete = try database.prepare("DELETE FROM restriction WHERE conversation = ?1 AND user = ?2")
        deleteOver = try database.prepare(
            "DELETE FROM restriction WHERE conversation = ?1 AND until <> 0 AND until <= ?2")
        deleteAll = try database.prepare("DELETE FROM restriction WHERE conversation = ?1")
        find = try database.prepare(
            "SELECT \(RestrictionTable.columns) FROM restriction WHERE conversation = ?1 AND user = ?2")
    }

    /// Sets or removes the restriction of a user. Those that are over at `time` go.
    func set(
        _ restriction: StoredRestriction?, of user: UserNumber, in conversation: ConversationNumber, at time: Timestamp
    ) throws {
        if let restriction {
            try add(restriction, in: conversation)
        } else {
            delete.bind(1, conversation.value)
            delete.bind(2, user.value)
            try delete.run()
        }
        deleteOver.bind(1, conversation.value)
        deleteOver.bind(2, time.milliseconds)
        try deleteOver.run()
    }

    func add(_ restriction: StoredRestriction, in conversation: ConversationNumber) throws {
        insert.bind(1, conversation.value)
        insert.bind(2, restriction.user.value)
        insert.bind(3, restriction.until.milliseconds)
        insert.bind(4, Int32(restriction.reason?.rawValue ?? 0))
        insert.bind(5, restriction.by.value)
        insert.bind(6, restriction.time.milliseconds)
        try insert.run()
    }

    /// Removes those of a conversation that is erased.
    func removeAll(of conversation: ConversationNumber) throws {
        deleteAll.bind(1, conversation.value)
        try deleteAll.run()
    }

    /// Whether a change says what is so already.
    func isUnchanged(
        by restriction: StoredRestriction?, of user: UserNumber, in conversation: ConversationNumber
    ) throws -> Bool {
        find.bind(1, conversation.value)
        find.bind(2, user.value)
        let known = try find.first(RestrictionTable.restriction)
        return RestrictionList(known.map { [$0] } ?? []).isUnchanged(by: restriction, of: user)
    }

    /// All of them, in the order of the users, by conversation.
    static func read(_ database: Database) throws -> [ConversationNumber: [StoredRestriction]] {
        let query = try database.prepare(
            "SELECT \(RestrictionTable.columns) FROM restriction ORDER BY conversation, user")
        var found: [ConversationNumber: [StoredRestriction]] = [:]
        while try query.step() {
            found[ConversationNumber(query.int32(0)), default: []].append(restriction(query))
        }
        return found
    }

    private static func restriction(_ row: Statement) -> StoredRestriction {
        StoredRestriction(
            of: UserNumber(row.int32(1)), until: Timestamp(milliseconds: row.int64(2)),
            UInt8(exactly: row.int32(3)).flatMap(ReportReason.init(rawValue:)), by: UserNumber(row.int32(4)),
            at: Timestamp(milliseconds: row.int64(5)))
    }
}
