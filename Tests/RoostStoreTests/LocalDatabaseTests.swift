import Testing

@testable import RoostStore

@Suite struct LocalDatabaseTests {
    private let file = OutboxFile()
    private let first = LocalMigration(name: "1 a", sql: "CREATE TABLE a(x INTEGER) STRICT")
    private let second = LocalMigration(name: "2 b", sql: "CREATE TABLE b(x TEXT) STRICT; INSERT INTO a VALUES (7)")

    private func open(_ migrations: LocalMigration...) throws -> LocalDatabase {
        try LocalDatabase(path: file.path, migrations: migrations)
    }

    @Test func eachMigrationRunsOnce() throws {
        _ = try open(first)
        _ = try open(first, second)
        #expect(try open(first, second).rows("SELECT x FROM a") { $0.integer(0) } == [7])
    }

    @Test func aMigrationThatFailsLeavesNothing() throws {
        let bad = LocalMigration(name: "2 bad", sql: "CREATE TABLE c(x TEXT) STRICT; INSERT INTO nowhere VALUES (1)")
        #expect(throws: LocalFailure.self) { _ = try open(first, bad) }
        let database = try open(first)
        #expect(try database.rows("SELECT name FROM sqlite_schema WHERE name = 'c'") { $0.text(0) }.isEmpty)
    }

    @Test func aNewerFormIsRefused() throws {
        _ = try open(first, second)
        #expect(throws: LocalFailure(code: 0, description: "the file has a newer form: 2 b")) { _ = try open(first) }
    }

    @Test func aTransactionIsAllOrNothing() throws {
        let database = try open(first)
        #expect(throws: LocalFailure.self) {
            try database.transaction { () throws(LocalFailure) in
                try database.run("INSERT INTO a VALUES (?)", [.integer(1)])
                try database.run("INSERT INTO a VALUES (?)", [.text("no number")])
            }
        }
        #expect(try database.rows("SELECT x FROM a") { $0.integer(0) }.isEmpty)
    }

    @Test func valuesComeBack() throws {
        let table = LocalMigration(name: "1", sql: "CREATE TABLE v(n ANY, i ANY, t ANY, e ANY, b ANY) STRICT")
        let database = try open(table)
        try database.run(
            "INSERT INTO v VALUES (?, ?, ?, ?, ?)",
            [.null, .integer(.min), .text("ä\u{0}b"), .text(""), .bytes([0, 255])])
        let rows = try database.rows("SELECT * FROM v") { row in
            (row.isNull(0), row.integer(1), row.text(2), row.isNull(3), row.bytes(4))
        }
        #expect(rows.count == 1)
        #expect(rows.first?.0 == true && rows.first?.1 == .min && rows.first?.2 == "ä\u{0}b")
        #expect(rows.first?.3 == false && rows.first?.4 == [0, 255])
    }

    @Test func aPathThatLeadsNowhereIsTold() {
        #expect(throws: LocalFailure.self) { _ = try LocalDatabase(path: file.path + "/x/y", migrations: []) }
    }
}
