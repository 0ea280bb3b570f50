import Foundation
import Logging
import RoostAuth
import RoostStore
import Testing

@testable import RoostServices

/// The way back from a newer version.
struct UpgradeCopyTests {
    private let folder = TestFolder()
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private var path: String { folder.path + "/services.db" }
    private var copy: String { UpgradeCopy.path(of: path, at: ServicesDatabase.migrations.last?.name ?? "") }
    private let newer =
        ServicesDatabase.migrations + [LocalMigration(name: "more", sql: "CREATE TABLE more(a TEXT) STRICT")]

    private func open(_ migrations: [LocalMigration]) async throws -> ServicesDatabase {
        try await ServicesDatabase(path: path, migrations: migrations, log: log)
    }

    private func names(_ database: ServicesDatabase) async throws -> [String] {
        try await database.read { database throws(LocalFailure) in
            try database.rows("SELECT name FROM account") { $0.text(0) }
        }
    }

    @Test func aNewerFormIsCopiedFirst() async throws {
        let account = Account(user: "u1", name: "Ann", language: "en", created: 0)
        try await open(ServicesDatabase.migrations).write { database throws(LocalFailure) in
            _ = try AccountTable.insert(account, database)
        }
        // Nothing to do, nothing to copy.
        _ = try await open(ServicesDatabase.migrations)
        #expect(!FileManager.default.fileExists(atPath: copy))
        // A copy that was cut short doesn't count.
        try Data("half".utf8).write(to: URL(fileURLWithPath: copy + ".partial"))
        let added = Account(user: "u2", name: "Bob", language: "en", created: 0)
        try await open(newer).write { database throws(LocalFailure) in _ = try AccountTable.insert(added, database) }
        await #expect(throws: KeyFailure.self) { _ = try await open(ServicesDatabase.migrations) }
        // The documented way back.
        for name in [path + "-wal", path + "-shm", path] { try? FileManager.default.removeItem(atPath: name) }
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        #expect(try await names(open(ServicesDatabase.migrations)) == ["Ann"])
    }

    @Test func withoutACopyThereIsNoUpgrade() async throws {
        _ = try await open(ServicesDatabase.migrations)
        // A folder is in the way of the draft.
        try FileManager.default.createDirectory(atPath: copy + ".partial/x", withIntermediateDirectories: true)
        await #expect(throws: KeyFailure.self) { _ = try await open(newer) }
        _ = try await open(ServicesDatabase.migrations)
    }
}
