import Foundation
import RoostCore
import RoostTestKit
import RoostWire

@testable import RoostStorage

/// A directory for one test, removed at its end.
final class Scratch {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("roost-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String = "roost.db") -> String { directory.appendingPathComponent(name).path }

    /// Copies the store's files as they are at this moment, as a kill would leave them, under another name.
    func crashCopy(
        of name: String = "roost.db", as copy: String, suffixes: [String] = ["", "-wal", ".lock"]
    ) throws -> String {
        for suffix in suffixes where FileManager.default.fileExists(atPath: path(name) + suffix) {
            try FileManager.default.copyItem(atPath: path(name) + suffix, toPath: path(copy) + suffix)
        }
        return path(copy)
    }

    /// Whether any file of the directory holds these bytes.
    func holds(_ text: String) throws -> Bool {
        for file in try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        where try Data(contentsOf: file).range(of: Data(text.utf8)) != nil {
            return true
        }
        return false
    }
}

extension StorageBounds {
    /// Bounds so small that everything happens after a few rows.
    static let tiny = StorageBounds(
        tailRows: 5, idleRows: 1, idleEntries: 3, entriesPerRow: 4, keysPerPart: 1, keysPerGeneration: 12,
        reservedFrames: 8,
        erasedRowsPerCommit: 2, erasedRowsWhenIdle: 3, lockMilliseconds: 1, noticeMilliseconds: 2)
}

extension SQLiteWriter {
    func maintainAll() throws {
        while try maintain() {}
    }
}

extension Database {
    /// The contents of the key index's table.
    func keyEntries() throws -> [KeyEntry] {
        let blocks = try prepare("SELECT keys FROM key_block ORDER BY generation, part, hash, position")
        var found: [KeyEntry] = []
        while try blocks.step() { found += Array(KeyEntries(blocks.bytes(0))) }
        return found
    }

    /// Makes every key of the index name another row, as if it were meant.
    func movePositionsOfKeys(to position: Int64) throws {
        let blocks = try prepare("SELECT generation, part, hash, position, keys FROM key_block")
        let change = try prepare(
            "UPDATE key_block SET keys = ?5, checksum = ?6 WHERE (generation, part, hash, position) = (?1, ?2, ?3, ?4)")
        var all: [(place: [Int64], keys: [KeyEntry])] = []
        while try blocks.step() {
            all.append(((0..<4).map { blocks.int64($0) }, Array(KeyEntries(blocks.bytes(4)))))
        }
        for (place, keys) in all {
            for (index, number) in place.enumerated() { change.bind(Int32(index + 1), number) }
            try keys.map { KeyEntry(hash: $0.hash, position: position) }.withUnsafeBytes { bytes in
                try change.bind(5, borrowedBlob: bytes)
                change.bind(6, KeyBlock.checksum(generation: place[0], part: place[1], bytes: bytes))
                try change.run()
            }
        }
    }
}

extension SQLiteLog {
    var reader: SQLiteReader { readers[0] }

    var store: StoreContract.Store {
        StoreContract.Store(writer: writer, reader: reader, load: { try self.load() })
    }

    func commit(_ events: [Append]) throws -> [Outcome] {
        try writer.commit(events.map { .append($0) })
    }

    /// Rows in the log, of one conversation or all.
    func storedRows(of conversation: Int32? = nil) throws -> Int {
        let condition = conversation.map { "WHERE conversation = \($0)" } ?? ""
        return try number("SELECT count(*) FROM log \(condition)")
    }

    /// The number that a query gives.
    func number(_ sql: String) throws -> Int {
        Int(try writer.database.value(sql) ?? "") ?? 0
    }

    /// Keys that the key index holds.
    func indexedKeys() throws -> Int {
        try writer.database.keyEntries().count
    }

    /// Rows that the event index holds.
    func indexedRows() throws -> Int {
        let blocks = try writer.database.prepare("SELECT before, position, rows FROM event_block")
        var count = 0
        while try blocks.step() {
            count += Array(EventRows(before: blocks.int64(0), position: blocks.int64(1), bytes: blocks.bytes(2))).count
        }
        return count
    }

    func history(_ conversation: Int32, rows: Int = 1_000) throws -> [StoredEvent] {
        let request = HistoryRequest(
            conversation: ConversationNumber(conversation), reader: UserNumber(1), after: .none,
            before: SequenceNumber(.max), isNewest: true, rows: rows, bytes: 1 << 30)
        return try reader.answer(Read(ticket: 1, .history(request))).events
    }

    func page(_ conversation: Int32, rows: Int = 100_000) throws -> [StoredEvent] {
        let span = PageRequest.Span(ConversationNumber(conversation), after: .start, upTo: Position(.max))
        let request = PageRequest(spans: [span], rows: rows, bytes: 1 << 30)
        return try reader.answer(Read(ticket: 1, .page(request))).events
    }
}

func message(
    _ text: String = "x", in conversation: Int32 = 1, by user: Int32 = 1, key: String = ""
) -> Append {
    var event = Append(
        .message, in: ConversationNumber(conversation), by: UserNumber(user), device: "phone",
        at: Timestamp(milliseconds: 1_000))
    event.key = key
    event.label = "text"
    event.body = Array("\"\(text)\"".utf8)
    return event
}

func creation(_ conversation: Int32 = 1) -> Append {
    var event = message(in: conversation)
    event.kind = .conversation
    event.label = ""
    event.change = .create(
        id: "c\(conversation)", kind: .group, name: "g", members: [NewMember(UserNumber(1), .owner)])
    return event
}

func about(_ kind: EventKind, _ sequence: Int64, in conversation: Int32 = 1, by user: Int32 = 1) -> Append {
    var event = message("changed", in: conversation, by: user)
    event.kind = kind
    event.label = kind == .react ? "+" : ""
    event.reference = SequenceNumber(sequence)
    event.flag = kind == .edit
    return event
}

/// The position of a stored event; nil for any other outcome.
func position(_ outcome: Outcome?) -> Int64? {
    guard case .stored(let position, _, _) = outcome else { return nil }
    return position.value
}
