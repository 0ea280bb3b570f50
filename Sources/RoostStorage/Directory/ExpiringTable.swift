import RoostCore
import RoostWire

/// The messages that will disappear, in the order of their times. Derived from the log. On the writer's thread, in its
/// transactions.
struct ExpiringTable {
    /// A message that disappears.
    struct Entry {
        let expires: Int64
        let position: Int64
    }

    private let insert: Statement
    private let due: Statement
    private let remove: Statement
    private let first: Statement

    static let firstSQL = "SELECT expires FROM expiring ORDER BY expires, position LIMIT 1"

    init(_ database: Database) throws {
        insert = try database.prepare("INSERT OR IGNORE INTO expiring (expires, position) VALUES (?1, ?2)")
        due = try database.prepare(
            "SELECT expires, position FROM expiring WHERE expires <= ?1 ORDER BY expires, position LIMIT ?2")
        remove = try database.prepare("DELETE FROM expiring WHERE expires = ?1 AND position = ?2")
        first = try database.prepare(ExpiringTable.firstSQL)
    }

    /// A message with these extras was stored.
    func add(_ extras: Extras?, at position: Int64) throws {
        guard let expires = extras?.expires, expires != .never else { return }
        insert.bind(1, expires.milliseconds)
        insert.bind(2, position)
        try insert.run()
    }

    /// Takes out messages whose time has come, the oldest first.
    func take(upTo time: Timestamp, limit: Int) throws -> [Entry] {
        var entries: [Entry] = []
        due.bind(1, time.milliseconds)
        due.bind(2, Int64(limit))
        while try due.step() { entries.append(Entry(expires: due.int64(0), position: due.int64(1))) }
        for entry in entries {
            remove.bind(1, entry.expires)
            remove.bind(2, entry.position)
            try remove.run()
        }
        return entries
    }

    /// When the next message disappears; `.never` if none will.
    func next() throws -> Timestamp { Timestamp(milliseconds: try first.first { $0.int64(0) } ?? 0) }
}
