import Foundation
import RoostAccounts
import Testing

/// The file with tokens.
struct FileTokenStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var path: String { folder.appendingPathComponent("tokens").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    @Test func itKeepsTheLast() throws {
        let store = FileTokenStore(path: path)
        #expect(try store.load() == nil)
        try store.clear()
        try store.save(Array("one".utf8))
        let long = [UInt8](repeating: 7, count: 60_000)
        try store.save(long)
        #expect(try FileTokenStore(path: path).load() == long)
        try store.save(Array("two".utf8))
        #expect(try store.load() == Array("two".utf8))
        try store.clear()
        #expect(try store.load() == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func onlyItsOwnerMayReadIt() throws {
        try FileTokenStore(path: path).save([1])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func filesOfAKilledProcessDoNoHarm() throws {
        try Data("half".utf8).write(to: URL(fileURLWithPath: path + ".new"))
        let store = FileTokenStore(path: path)
        #expect(try store.load() == nil)
        try store.save([1])
        #expect(try store.load() == [1])
    }

    @Test func failuresSayWhere() throws {
        let store = FileTokenStore(path: folder.path + "/missing/tokens")
        #expect { try store.save([1]) } throws: { "\($0)".contains("missing/tokens") }
        try Data(count: 65_537 + 4_096).write(to: URL(fileURLWithPath: path))
        #expect(throws: FileTokenStore.Failure.self) { try FileTokenStore(path: path).load() }
    }
}
