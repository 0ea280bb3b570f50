import Foundation
import Logging
import RoostAuth
import RoostConfiguration
import RoostServicesConfiguration
import RoostStore
import Testing

@testable import RoostServices

/// The data folder: no command begins without the accounts that there were.
struct DataFolderTests {
    private let folder = TestFolder()
    private var database: String { folder.path + "/services.db" }

    private func configuration(_ data: String? = nil) -> ServicesConfiguration {
        var configuration = ServicesConfiguration()
        configuration.data = data ?? folder.path
        return configuration
    }

    /// The answer of each command but `serve`, by its name.
    private func refusals(_ data: String? = nil) async -> [String: any Error] {
        let configuration = configuration(data)
        var found: [String: any Error] = [:]
        do { _ = try await Services.apiKeys(configuration) } catch { found["api-key"] = error }
        do { _ = try await Services.link(configuration, for: .owner) } catch { found["link"] = error }
        do { try Services.rotateKey(configuration) } catch { found["rotate-key"] = error }
        do { _ = try AdminRequest(configuration, as: "x").token() } catch { found["admin"] = error }
        let parameters = folder.path + "/hash"
        do {
            try
                ("hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: \(Data(count: 64).base64EncodedString()),\n"
                + "  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}\n").write(
                    toFile: parameters, atomically: true, encoding: .utf8)
            _ = try FirebaseImport(
                data: configuration.data, hashParameters: parameters, isDryRun: true, rules: PersonRules(),
                openID: configuration.openID, limits: ServicesLimits(), clock: .system
            ) { _ in }
        } catch { found["import-firebase"] = error }
        try? FileManager.default.removeItem(atPath: parameters)
        return found
    }

    private func files() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            found[name] = FileManager.default.contents(atPath: folder.path + "/" + name)
        }
        return found
    }

    /// Leaves the folder in the state after a first start.
    private func begin() async throws {
        let held = try DataFolder(folder.path)
        _ = try KeyRing(data: folder.path, limits: ServicesLimits(), clock: .system)
        _ = try await ServicesDatabase(path: held.database, log: Logger(label: "test"))
        try held.markDatabase()
    }

    @Test func onlyServeMakesADatabase() async throws {
        let typo = folder.path + "/typo"
        let found = await refusals(typo)
        #expect(found.keys.sorted() == ["admin", "api-key", "import-firebase", "link", "rotate-key"])
        for name in ["api-key", "link", "rotate-key"] {
            #expect((found[name] as? ServiceFault)?.reason.contains("start `roost up` first") == true, "\(name)")
        }
        #expect(try files().isEmpty)
        // Nor of a file without content.
        _ = FileManager.default.createFile(atPath: database, contents: nil)
        #expect(await refusals().count == 5)
        #expect(try files() == ["services.db": Data()])
    }

    @Test func withADatabaseCommandsDoTheirWork() async throws {
        try await begin()
        let found = await refusals()
        #expect(found.isEmpty, "\(found)")
        let keys = try await Services.apiKeys(configuration())
        _ = try await keys.create("shop", words: [.send])
        #expect(try await Services.apiKeys(configuration()).all().map(\.name) == ["shop"])
    }

    @Test(arguments: [false, true], [false, true])
    func noCommandBeginsAnewWhereADatabaseIsLost(isEmpty: Bool, hasLog: Bool) async throws {
        try await begin()
        for name in ["services.db", "services.db-wal", "services.db-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
        }
        if isEmpty { _ = FileManager.default.createFile(atPath: database, contents: nil) }
        if hasLog { try Data("commits".utf8).write(to: URL(fileURLWithPath: database + "-wal")) }
        let before = try files()
        var found = await refusals()
        do { _ = try DataFolder(folder.path) } catch { found["serve"] = error }
        #expect(found.count == 6)
        for (name, error) in found {
            let line = (error as? KeyFailure)?.reason ?? ""
            #expect(line.contains("services.db: is missing or empty") && line.contains("backup"), "\(name): \(error)")
            #expect(line.contains("services.db-wal") == hasLog, "\(name): \(line)")
        }
        #expect(try files() == before)
    }

    // Without the note, a log shows that there was a database. SQLite would delete it.
    @Test func aLogAloneShowsThatThereWasADatabase() async throws {
        _ = FileManager.default.createFile(atPath: database, contents: nil)
        try Data("commits".utf8).write(to: URL(fileURLWithPath: database + "-wal"))
        let failure = #expect(throws: KeyFailure.self) { _ = try DataFolder(folder.path) }
        #expect(failure?.reason.contains("keep \(database)-wal") == true && failure?.reason.contains("delete") == false)
        #expect(try files()["services.db-wal"] == Data("commits".utf8))
    }

    @Test func aDatabaseWithoutTablesIsLostToo() async throws {
        try await begin()
        for name in ["services.db", "services.db-wal", "services.db-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
        }
        // It has a header, as after any program that opens an empty file and sets a mode.
        try LocalDatabase(path: database, migrations: nil).close()
        #expect(try files()["services.db"]?.isEmpty == false)
        let held = try DataFolder(folder.path)
        #expect(held.hasHadDatabase)
        let failure = await #expect(throws: KeyFailure.self) {
            _ = try await ServicesDatabase(
                path: held.database, mayBegin: !held.hasHadDatabase, log: Logger(label: "test"))
        }
        #expect(failure?.reason.contains("services.db: has no tables") == true)
        #expect(await refusals().keys.sorted() == ["api-key", "import-firebase", "link"])
    }

    @Test func commandsLeaveAnEarlierFormAsItIs() async throws {
        let earlier = Array(ServicesDatabase.migrations.dropLast())
        _ = try await ServicesDatabase(path: database, migrations: earlier, log: Logger(label: "test"))
        for name in ["api-key", "link"] {
            let failure = await refusals()[name] as? KeyFailure
            #expect(failure?.reason.contains("another version") == true, "\(name)")
        }
        let applied = try LocalDatabase(path: database, migrations: nil).applied()
        #expect(applied == Set(earlier.map(\.name)))
    }

    @Test func theStoreOfTheRelayIsNamed() throws {
        let store = try LocalDatabase(path: database, migrations: nil)
        // "Rost".
        try store.execute("PRAGMA application_id = 1383035764; CREATE TABLE event(a INTEGER)")
        store.close()
        let failure = #expect(throws: KeyFailure.self) { _ = try DataFolder(folder.path) }
        #expect(failure?.reason.contains("is the relay's store") == true)
    }

    @Test func whatOthersMayChangeIsSaid() async throws {
        let data = folder.path + "/data"
        let held = try DataFolder(data)
        _ = try await ServicesDatabase(path: held.database, log: Logger(label: "test"))
        func modes(_ folder: Int, _ file: Int) throws -> [String] {
            try FileManager.default.setAttributes([.posixPermissions: folder], ofItemAtPath: data)
            try FileManager.default.setAttributes([.posixPermissions: file], ofItemAtPath: held.database)
            return held.warnings()
        }
        #expect(try modes(0o755, 0o600) == [])
        #expect(try modes(0o750, 0o640) == [])
        #expect(
            try modes(0o777, 0o644) == [
                "\(data): mode 777 lets other users replace the database; run: chmod go-w \(data)",
                "\(data)/services.db: mode 644 lets other users read or change the accounts; run: "
                    + "chmod g-w,o-rwx \(data)/services.db",
            ])
        #expect(try modes(0o775, 0o660).count == 2)
    }
}
