import RoostWire

/// The outbox in SQL. `action` is one of `Word`; `parent` is an item that a row waits for, `target` the sequence of a
/// stored message. `may_be_sent` is 0 as long as there was no session since the row was made. `checksum` shows whether
/// a row is as it was written: what a user typed must not go out as something else because of a bit on the disk.
enum OutboxTable {
    enum Word: Int64 {
        case send = 1
        case edit, delete, react, unreact, read
    }

    static let migrations = [
        LocalMigration(
            name: "1 outbox",
            sql: """
                CREATE TABLE outbox(
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    destination TEXT NOT NULL,
                    user TEXT,
                    key TEXT NOT NULL UNIQUE,
                    action INTEGER NOT NULL,
                    parent INTEGER REFERENCES outbox(id) ON DELETE CASCADE,
                    target INTEGER,
                    kind TEXT,
                    body BLOB,
                    reaction TEXT,
                    tries INTEGER NOT NULL DEFAULT 0,
                    code TEXT,
                    reason TEXT,
                    may_be_sent INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                CREATE INDEX outbox_parent ON outbox(parent) WHERE parent IS NOT NULL;
                CREATE TABLE parked(
                    destination TEXT NOT NULL,
                    user TEXT NOT NULL,
                    code TEXT NOT NULL,
                    reason TEXT NOT NULL,
                    PRIMARY KEY (destination, user)
                ) STRICT;
                """),
        LocalMigration(name: "6 mentions in the outbox", sql: "ALTER TABLE outbox ADD COLUMN mentions TEXT"),
        LocalMigration(
            name: "9 threads and forwarded messages in the outbox",
            sql: """
                ALTER TABLE outbox ADD COLUMN thread INTEGER;
                ALTER TABLE outbox ADD COLUMN source TEXT;
                ALTER TABLE outbox ADD COLUMN source_sequence INTEGER;
                ALTER TABLE outbox ADD COLUMN origin TEXT;
                """),
        LocalMigration(
            name: "13 versions in the outbox", sql: "ALTER TABLE outbox ADD COLUMN if_version INTEGER"),
        LocalMigration(
            name: "14 sums of the outbox",
            sql: """
                ALTER TABLE outbox ADD COLUMN checksum INTEGER;
                UPDATE outbox SET checksum = roost_row_sum(
                    id, user, destination, key, action, parent, target, kind, body, reaction, mentions, thread, source,
                    source_sequence, origin, if_version)
                """),
    ]

    /// All columns, as they follow each other in a row.
    static let stored = [
        "id", "destination", "user", "key", "action", "parent", "target", "kind", "body", "reaction", "tries", "code",
        "reason", "may_be_sent", "mentions", "thread", "source", "source_sequence", "origin", "if_version", "checksum",
    ]

    /// Whether these can be the columns of a row.
    static func isRow(_ values: [LocalValue]) -> Bool {
        guard values.count == stored.count, case .integer = values[0], case .integer(let word) = values[4],
            Word(rawValue: word) != nil, case .integer = values[10], case .integer = values[13]
        else { return false }
        let numbers = [5, 6, 15, 17, 19, 20].allSatisfy { values[$0].isNumberOrNull }
        let texts = [2, 7, 9, 11, 12, 14, 16, 18].allSatisfy { values[$0].isTextOrNull }
        if case .text = values[8] { return false }
        if case .integer = values[8] { return false }
        return numbers && texts && values[1].isText && values[3].isText
    }

    // The columns in the checksum. A column that is added belongs in here, with a migration that seals all rows anew.
    private static let summed = [
        "id", "user", "destination", "key", "action", "parent", "target", "kind", "body", "reaction", "mentions",
        "thread", "source", "source_sequence", "origin", "if_version",
    ]

    /// The checksum of a row, in SQL.
    /// - Parameter changed: what some columns get by the same statement.
    private static func sum(_ changed: [String: String] = [:]) -> String {
        "roost_row_sum(\(summed.map { changed[$0] ?? $0 }.joined(separator: ", ")))"
    }

    // Gives columns other values, and the row its checksum.
    private static func update(_ changed: [String: String], and rest: String = "", where condition: String) -> String {
        let values = changed.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
        return "UPDATE outbox SET \(values)\(rest), checksum = \(sum(changed)) WHERE \(condition)"
    }

    static let seal = "UPDATE outbox SET checksum = \(sum()) WHERE id = ?"
    static let sealAll = "UPDATE outbox SET checksum = \(sum())"
    static let hasChanged = "SELECT 1 FROM outbox WHERE checksum IS NOT \(sum()) LIMIT 1"
    // Messages, edits and deletions that aren't as they were written.
    static let changed = "SELECT id, action, body FROM outbox WHERE checksum IS NOT \(sum()) AND action <= 3"
    // Changed reactions and read marks are deleted, because no user misses them. An item about a lost message has lost
    // its meaning, but for the text of a reply. And what was known of sessions is lost.
    static let settleChanged = [
        "DELETE FROM outbox WHERE checksum IS NOT \(sum()) AND action > 3",
        "UPDATE outbox SET parent = NULL WHERE action = 1 AND parent NOT IN (SELECT id FROM outbox)",
        "DELETE FROM outbox WHERE action <> 1 AND parent NOT IN (SELECT id FROM outbox)",
        "UPDATE outbox SET may_be_sent = 1",
    ]

    static let columns =
        """
        id, destination, key, action, parent, target, kind, body, reaction, tries, code, reason, mentions, thread,
        source, source_sequence, origin, if_version
        """
    static let all = "SELECT \(columns) FROM outbox WHERE user IS ? ORDER BY id"
    static let adoptUser = update(["user": "?1"], where: "user IS NULL")
    static let adoptParked = "UPDATE OR REPLACE parked SET user = ? WHERE user = ''"
    static let insert = """
        INSERT INTO outbox(
            user, destination, key, action, parent, target, kind, body, reaction, mentions, thread, source,
            source_sequence, origin, if_version, may_be_sent)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    static let unsent = "SELECT id FROM outbox WHERE user IS ? AND may_be_sent = 0"
    static let mayBeSent = """
        UPDATE outbox SET may_be_sent = 1 WHERE user IS ?1 AND may_be_sent = 0
        AND destination NOT IN (SELECT destination FROM parked WHERE parked.user = coalesce(?1, ''))
        """
    static let isSent = "UPDATE outbox SET may_be_sent = 1 WHERE id = ?"
    static let isUnsent = "UPDATE outbox SET may_be_sent = 0 WHERE id = ?"
    static let remove = "DELETE FROM outbox WHERE id = ?"
    static let removeAll = "DELETE FROM outbox WHERE user IS ?"
    static let revive = "UPDATE outbox SET tries = 0, code = NULL, reason = NULL WHERE id = ?"
    static let replace = update(
        ["body": "?1", "mentions": "?2", "if_version": "?3"], and: ", tries = 0, code = NULL, reason = NULL",
        where: "id = ?4")
    static let nameVersion = update(["if_version": "?1"], where: "id = ?2")
    static let adopt = update(["target": "?1", "parent": "NULL"], where: "parent = ?2")
    static let move = update(["destination": "?1"], where: "destination = ?2 AND user IS ?3")
    static let count = "UPDATE outbox SET tries = ? WHERE id = ?"
    static let fail = "UPDATE outbox SET code = ?, reason = ? WHERE id = ?"
    // About messages of a log that is gone: what an edit said stays as a message that failed.
    static let forgetReplies = update(["target": "NULL"], where: "action = 1")
    static let keepEdits = update(
        ["action": "1", "target": "NULL"], and: ", code = ?1, reason = ?2", where: "action = 2 AND target IS NOT NULL")
    static let forgetForwards = "DELETE FROM outbox WHERE source IS NOT NULL"
    static let leaveThreads = update(
        ["thread": "NULL"], and: ", code = ?1, reason = ?2", where: "thread IS NOT NULL")
    static let forgetMarks = "DELETE FROM outbox WHERE action > 2 AND target IS NOT NULL"
    static let allParked = "SELECT destination, code, reason FROM parked WHERE user = ?"
    static let park = "INSERT OR REPLACE INTO parked(destination, user, code, reason) VALUES (?, ?, ?, ?)"
    static let unpark = "DELETE FROM parked WHERE destination = ? AND user = ?"
    static let unparkAll = "DELETE FROM parked WHERE user = ?"

    /// The values of `insert`.
    static func values(_ item: OutboxItem, of user: String?) -> [LocalValue] {
        var (kind, body, reaction, target) = (LocalValue.null, LocalValue.null, LocalValue.null, LocalValue.null)
        let word: Word
        switch item.action {
        case .send(let name, let bytes, _):
            (word, body) = (.send, .bytes(bytes))
            if let name { kind = .text(name) }
        case .edit(_, let bytes): (word, body) = (.edit, .bytes(bytes))
        case .delete: word = .delete
        case .react(_, let text, let isOn): (word, reaction) = (isOn ? .react : .unreact, .text(text))
        case .read(let sequence): (word, target) = (.read, .integer(sequence.value))
        }
        if case .stored(let sequence) = item.target { target = .integer(sequence.value) }
        let parent = item.parent.map { LocalValue.integer($0) } ?? .null
        return [
            user.map { .text($0) } ?? .null, .text(item.destination), .text(item.key), .integer(word.rawValue),
            parent, target, kind, body, reaction, Mentions.value(item.mentions),
            item.thread.map { .integer($0.value) } ?? .null, item.forward.map { .text($0.conversation) } ?? .null,
            item.forward.map { .integer($0.sequence.value) } ?? .null,
            item.forward.map { .text($0.origin) } ?? .null, item.ifVersion.map { .integer($0) } ?? .null,
        ]
    }

    /// The values of `park`.
    static func values(_ destination: String, of user: String?, _ failure: OutboxItem.Failure) -> [LocalValue] {
        [.text(destination), .text(user ?? ""), .text("\(failure.code.word)"), .text(failure.reason)]
    }

    /// Reads a row of `all`; nil if it isn't one that this version writes.
    static func item(_ row: LocalStatement) -> OutboxItem? {
        let target: OutboxItem.Target? =
            if !row.isNull(4) { .unsent(row.integer(4)) } else if !row.isNull(5) {
                .stored(SequenceNumber(row.integer(5)))
            } else { nil }
        let action: OutboxItem.Action
        switch (Word(rawValue: row.integer(3)), target) {
        case (.send, _): action = .send(kind: row.isNull(6) ? nil : row.text(6), body: row.bytes(7), replyTo: target)
        case (.edit, let target?): action = .edit(target, body: row.bytes(7))
        case (.delete, let target?): action = .delete(target)
        case (.react, let target?): action = .react(target, reaction: row.text(8), isOn: true)
        case (.unreact, let target?): action = .react(target, reaction: row.text(8), isOn: false)
        case (.read, .stored(let sequence)?): action = .read(sequence)
        default: return nil
        }
        var item = OutboxItem(id: row.integer(0), destination: row.text(1), key: row.text(2), action: action)
        item.tries = Int(clamping: row.integer(9))
        if !row.isNull(10) { item.failure = failure(row.text(10), row.text(11)) }
        item.mentions = row.isNull(12) ? [] : Mentions.read(row.text(12))
        item.thread = row.isNull(13) ? nil : SequenceNumber(row.integer(13))
        if !row.isNull(14), !row.isNull(15) {
            item.forward = OutboxItem.Forward(
                conversation: row.text(14), sequence: SequenceNumber(row.integer(15)), origin: row.text(16))
        }
        item.ifVersion = row.isNull(17) ? nil : row.integer(17)
        return item
    }

    /// Reads a row of `allParked`.
    static func parked(_ row: LocalStatement) -> (String, OutboxItem.Failure) {
        (row.text(0), failure(row.text(1), row.text(2)))
    }

    private static func failure(_ word: String, _ reason: String) -> OutboxItem.Failure {
        OutboxItem.Failure(ErrorCode(word: word) ?? .badRequest, reason)
    }
}
