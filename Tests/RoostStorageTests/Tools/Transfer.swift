import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Exports from one store and imports into another.
extension Scratch {
    func export(_ store: String, _ scope: StoreExporter.Scope = .all, to file: String) throws -> StoreExporter.Result {
        try StoreExporter.run(path(store), scope: scope, to: path(file), now: 5, progress: noProgress)
    }

    func take(_ file: String, into store: String) throws -> StoreImporter.Result {
        try StoreImporter.run(path(file), into: path(store), durability: .normal, progress: noProgress)
    }

    /// The store's contents after the import.
    func imported(_ file: String, into store: String) throws -> Snapshot {
        _ = try take(file, into: store)
        try expectSound(store)
        let log = try SQLiteLog(path(store), .normal, .tiny)
        defer { log.close() }
        return try log.load()
    }

    func contents(_ store: String) throws -> [String] {
        let log = try SQLiteLog(path(store), .normal, .tiny)
        defer { log.close() }
        return try log.contents()
    }

    func expectContents(
        _ store: String, _ wanted: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try contents(store)
        let tooMuch = Set(found).subtracting(wanted).sorted()
        let missing = Set(wanted).subtracting(found).sorted()
        #expect(tooMuch == [], sourceLocation: sourceLocation)
        #expect(missing == [], sourceLocation: sourceLocation)
    }

    func expectSound(_ store: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try StoreVerifier.run(path(store), progress: noProgress).findings
        #expect(found == [], sourceLocation: sourceLocation)
    }
}

/// A change of conversation 1 by user 1.
func change(_ change: ConversationChange) -> Append {
    var event = about(.conversation, 0)
    (event.change, event.body) = (change, Array("\"event\":\"x\"".utf8))
    return event
}
