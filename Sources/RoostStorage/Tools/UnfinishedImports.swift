import RoostWire

/// The imports that were begun in a store and not finished: a row of `meta` for each, from its first transaction to its
/// last. Until then conversations may lack messages, and all of their members. Importing the file again, or a later
/// export of the same store, finishes it. Stateless.
enum UnfinishedImports {
    private static let prefix = "import "

    /// Notes in the open transaction that the import of this file has begun.
    static func begin(_ header: ExportHeader?, in database: Database) throws {
        try run("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, 1)", header, database)
    }

    /// Notes in the open transaction that it is complete.
    static func finish(_ header: ExportHeader?, in database: Database) throws {
        try run("DELETE FROM meta WHERE name = ?1", header, database)
    }

    /// A sentence for each, in an order that doesn't change.
    static func read(_ database: Database) throws -> [String] {
        let rows = try database.prepare("SELECT name FROM meta WHERE name >= ?1 AND name < ?2 ORDER BY name")
        try rows.bind(1, copying: prefix)
        try rows.bind(2, copying: "import!")
        var found: [String] = []
        while try rows.step() {
            let name = rows.text(0).dropFirst(prefix.count)
            found.append("the import of an export of \(name) was cut short: import that file again")
        }
        return found
    }

    private static func run(_ sql: String, _ header: ExportHeader?, _ database: Database) throws {
        let change = try database.prepare(sql)
        try change.bind(1, copying: prefix + name(of: header))
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
