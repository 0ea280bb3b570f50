import RoostCore
import RoostWire

/// The store that an import goes into: its names, and whether its rows are those in the file. Reads on the writer's
/// connection, before anything is written.
final class ImportTarget {
    /// The comparison of a row of the store with a line.
    enum Comparison {
        case same
        /// The message was edited or deleted later in the file, or later in the store.
        case older, newer
    }

    /// A conversation of the store.
    struct Known {
        var number: Int32
        var kind: ConversationKind
        var hasMembers: Bool
    }

    /// The file, for messages.
    let source: String
    private(set) var users: [String: Int32] = [:]
    /// Those of them who have left for good: nothing of them comes back.
    private(set) var departed: Set<Int32> = []
    private(set) var conversations: [String: Known] = [:]
    private(set) var userMax: Int32 = 0
    private(set) var conversationMax: Int32 = 0
    private(set) var deviceMax: Int32 = 0
    /// The direct conversation of each two users.
    private(set) var directPairs: [Set<String>: String] = [:]
    private let database: Database
    private let log: LogTable
    private let keyHash: KeyHash
    /// Positions of all rows, by conversation; read when the first conversation turns out to be there.
    private var positions: [Int32: [Int64]]?

    init(_ database: Database, source: String) throws {
        self.database = database
        self.source = source
        log = try LogTable(database)
        keyHash = try StoreFile.keyHash(of: database)
        let names = try DirectoryNames(database)
        for (number, name) in names.users {
            users[name] = number
            userMax = max(userMax, number)
        }
        let gone = try database.prepare("SELECT user FROM profile WHERE deleted")
        while try gone.step() { departed.insert(gone.int32(0)) }
        var inhabited: Set<Int32> = []
        let members = try database.prepare("SELECT DISTINCT conversation FROM member")
        while try members.step() { inhabited.insert(members.int32(0)) }
        for (number, conversation) in names.conversations {
            let kind = UInt8(exactly: conversation.kind).flatMap { ConversationKind(rawValue: $0) } ?? .group
            conversations[conversation.id] = Known(
                number: number, kind: kind, hasMembers: inhabited.contains(number))
            conversationMax = max(conversationMax, number)
        }
        // A number isn't given again while rows of its first life are left.
        conversationMax = max(conversationMax, names.erased.keys.max() ?? 0)
        deviceMax = Int32(clamping: Int64(try database.value("SELECT max(number) FROM device") ?? "") ?? 0)
        let pairs = try database.prepare(
            """
            SELECT member.conversation, min(user), max(user) FROM member CROSS JOIN conversation
                ON conversation.number = member.conversation WHERE conversation.kind = 1 GROUP BY 1
            """)
        while try pairs.step() {
            let pair: Set = [names.users[pairs.int32(1)] ?? "", names.users[pairs.int32(2)] ?? ""]
            directPairs[pair] = names.conversations[pairs.int32(0)]?.id
        }
    }

    /// Positions of the rows of a conversation, in order. Reads the log once; takes eight bytes a row.
    func positions(of conversation: Int32) throws -> [Int64] {
        if positions == nil {
            var found: [Int32: [Int64]] = [:]
            let rows = try database.prepare("SELECT position, conversation FROM log ORDER BY position")
            while try rows.step() { found[rows.int32(1), default: []].append(rows.int64(0)) }
            positions = found
        }
        return positions?[conversation] ?? []
    }

    /// Whether a row has this key. If the key was erased since, the store has the hash, and a later export nothing.
    private func isKey(_ key: String, of row: LogRow) -> Bool {
        guard ErasedKey.isErased(row.event.key) else { return row.event.key == key }
        return key.isEmpty || row.event.key == ErasedKey.text(keyHash(key, by: row.event.sender.value))
    }

    /// Compares a line with the row that stands at its place. Throws `ExportLineFailure` if they are different events.
    /// The store may have erased the name of the device since.
    func compare(_ event: ExportedEvent, sender: Int32, at position: Int64) throws -> Comparison {
        let stored = try row(at: position)
        let line = ImportedEvent(event, conversation: 0, sender: sender)
        guard stored.event.kind == line.kind, stored.event.sender.value == sender,
            stored.event.time.milliseconds == event.time,
            stored.event.device == event.device || stored.event.device.isEmpty,
            isKey(event.key, of: stored), stored.event.reference.value == line.reference,
            event.kind != .message
                || stored.event.label == event.label && stored.event.sequence.value == event.sequence
                    && stored.event.flag == event.isUnreading,
            event.kind != .react || stored.event.label == event.label && stored.event.flag == event.isRemoved,
            event.kind != .change || stored.event.body == event.body
        else { throw ImportTarget.other }
        guard event.kind == .message else { return .same }
        // A deletion is the last thing that happens to a message, whatever the clocks said.
        let isDeleted = stored.event.deletedAt != .never
        if isDeleted != (event.deletedAt != 0) { return isDeleted ? .newer : .older }
        let editedAt = stored.event.editedAt.milliseconds
        if !isDeleted, event.editedAt != editedAt { return event.editedAt > editedAt ? .older : .newer }
        guard stored.event.body == event.body, (stored.event.extras?.json ?? []) == event.extras else {
            throw ImportTarget.other
        }
        return .same
    }

    /// Throws `ExportLineFailure` unless a withheld message stands at its place.
    func compareWithheld(_ sequence: Int64, sender: Int32, at position: Int64) throws {
        let stored = try row(at: position).event
        guard stored.kind == .message, stored.sender.value == sender, stored.sequence.value == sequence else {
            throw ImportTarget.other
        }
    }

    private static let other = ExportLineFailure("the store has this conversation with other content")

    private func row(at position: Int64) throws -> LogRow {
        switch try log.find(at: position) {
        case .row(let row): row
        case .missing, .damaged:
            throw ExportLineFailure(
                "the store has this conversation with a damaged row at position \(position); see `roost store verify`"
            )
        }
    }
}
