import RoostCore
import RoostWire

/// The imports that were begun in a store and not finished: a row of `meta` for each, from its first transaction to its
/// last, with the newest position of its file: an earlier export of the same store doesn't finish what a later one
/// began. Until then conversations may lack messages, and all of their members. Importing the file again, or a later
/// export of the same store, finishes it. Stateless.
///
/// One that a line of the file refuses can't be finished, and is given up.
enum UnfinishedImports {
    private static let prefix = "import "

    /// Notes in the open transaction that the import of this file has begun.
    static func begin(_ header: ExportHeader?, in database: Database) throws {
        try run(
            """
            INSERT INTO meta (name, value) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
            """, header, database)
    }

    /// Notes in the open transaction that it is complete.
    static func finish(_ header: ExportHeader?, in database: Database) throws {
        try run("DELETE FROM meta WHERE name = ?1 AND value <= ?2", header, database)
    }

    /// Gives all of them up. Their complete parts stay; conversations without members, which no user could see or
    /// erase, are erased.
    /// - Returns: a sentence for each.
    static func giveUp(_ writer: SQLiteWriter) throws -> [String] {
        try writer.transactions.run {
            let found = try names(in: writer.database)
            let change = try writer.database.prepare("DELETE FROM meta WHERE name = ?1")
            for name in found {
                try change.bind(1, copying: prefix + name)
                try change.run()
            }
            let left = try writer.database.prepare(
                """
                SELECT number FROM conversation
                WHERE NOT EXISTS (SELECT 1 FROM member WHERE member.conversation = conversation.number)
                """)
            var empty: [ConversationNumber] = []
            while try left.step() { empty.append(ConversationNumber(left.int32(0))) }
            for conversation in empty {
                // Each erasure has a position of its own.
                writer.head += 1
                try writer.erase(conversation)
            }
            if !empty.isEmpty { writer.checkpoints.erasedTexts.note() }
            return found.map {
                "the import of an export of \($0) is given up; \(empty.count) conversations without members are erased"
            }
        }
    }

    /// A sentence for each, in an order that doesn't change.
    static func read(_ database: Database) throws -> [String] {
        try names(in: database).map { "the import of an export of \($0) was cut short: import that file again" }
    }

    private static func names(in database: Database) throws -> [String] {
        let rows = try database.prepare("SELECT name FROM meta WHERE name >= ?1 AND name < ?2 ORDER BY name")
        try rows.bind(1, copying: prefix)
        try rows.bind(2, copying: "import!")
        var found: [String] = []
        while try rows.step() { found.append(String(rows.text(0).dropFirst(prefix.count))) }
        return found
    }

    private static func run(_ sql: String, _ header: ExportHeader?, _ database: Database) throws {
        let change = try database.prepare(sql)
        try change.bind(1, copying: prefix + name(of: header))
        change.bind(2, header?.head ?? 0)
        try change.run()
    }

    private static func name(of header: ExportHeader?) -> String {
        let epoch = header?.epoch ?? ""
        return switch header?.scope {
        case .user(let name): "user \(name) of store \(epoch)"
        case .conversation(let id): "conversation \(id) of store \(epoch)"
        case .all, nil: "store \(epoch)"
        }
    }
}
