import Foundation

@testable import RoostStore

/// The file of an outbox, in a folder of its own that goes with it.
final class OutboxFile: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")

    init() { try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "outbox.db").path }

    /// Whether this text is anywhere in the folder.
    func contains(_ text: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .contains { try Data(contentsOf: $0).range(of: Data(text.utf8)) != nil }
    }

    /// Opens it, also beside one that is open already, as after a crash.
    func open(
        _ limits: OutboxLimits = OutboxLimits(), policy: RetryPolicy = .forever, goesOn: Bool = false
    ) throws -> Outbox {
        let database = try LocalDatabase(path: path, migrations: LocalStore.migrations)
        return try Outbox(database, limits: limits, policy: policy, goesOnAfterFailures: goesOn)
    }
}
