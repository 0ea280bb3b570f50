import RoostWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A device's file that SQLite found damaged. What the relay told can be had again; what the user did is only here. So
/// a new file takes its place, with every row of the outbox that can still be read, the drafts, and the device's name.
/// The damaged one is kept beside it, as `….damaged`.
///
/// Whatever moment a crash comes at, one of the two is whole: the new file has a name of its own until it is on disk.
struct DamagedFile {
    /// Where the file is.
    let path: String

    private var kept: String { path + ".damaged" }
    private var new: String { path + ".new" }
    private var whole: String { path + ".whole" }
    // Found damaged while it was in use, in a page that opening doesn't read.
    private var mark: String { path + ".mark" }

    /// Whether the damage was found while the file was in use.
    var isMarked: Bool { access(mark, F_OK) == 0 }

    /// Whether there is a file that isn't SQLite's, or is empty beside a log with content. SQLite would open it all the
    /// same, and delete the log, which may have what was written last
    /// (sqlite.org/fileformat2.html#the_database_header).
    var hasForeignHead: Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let usual = Array("SQLite format 3\0".utf8)
        var head = [UInt8](repeating: 0, count: usual.count)
        let count = read(file, &head, head.count)
        // A new file is empty, and has no log yet.
        return count > 0 ? head != usual : count == 0 && hasLog
    }

    private var hasLog: Bool {
        var found = stat()
        return stat(path + "-wal", &found) == 0 && found.st_size > 0
    }

    /// The next start is to make the file anew.
    func leaveMark() {
        let file = open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    /// Ends what a crash interrupted. Call it before the file is opened.
    func finish() {
        unlink(new)
        guard access(whole, F_OK) == 0 else { return }
        // The damaged file's log must not be taken for the new one's.
        rename(path + "-wal", kept + "-wal")
        unlink(path + "-shm")
        rename(path, kept)
        unlink(mark)
        rename(whole, path)
    }

    /// Makes the new file and puts it in place of the damaged one.
    /// - Returns: what could be saved.
    func replace(migrations: [LocalMigration]) throws(LocalFailure) -> LocalRepair {
        let saved = try Saved(path)
        unlink(new)
        do {
            let database = try LocalDatabase(path: new, migrations: migrations)
            try database.transaction { () throws(LocalFailure) in try saved.write(to: database) }
            // One file, without a log beside it.
            try database.execute("PRAGMA journal_mode=DELETE")
        }
        rename(new, whole)
        finish()
        return LocalRepair(itemsSaved: saved.items.count)
    }

    /// What can be read of a damaged file.
    private struct Saved {
        var items: [[LocalValue]] = []
        private var drafts: [[LocalValue]] = []
        // A file of an older form has none.
        private var mentions: [(id: Int64, names: String)] = []
        private var others: [[LocalValue]] = []
        private var versions: [[LocalValue]] = []
        private var identity: [LocalValue]?

        private static let itemColumns =
            "id, user, destination, key, action, parent, target, kind, body, reaction, tries, code, reason"

        // What can't be read just now isn't damaged: another start may find it.
        init(_ path: String) throws(LocalFailure) {
            let database: LocalDatabase
            do throws(LocalFailure) { database = try LocalDatabase(path: path, migrations: nil) } catch {
                guard error.isDamage else { throw error }
                return
            }
            let columns = Saved.itemColumns
            // An unreadable page ends a walk: so there is one from either end.
            var found: [Int64: [LocalValue]] = [:]
            for order in ["ASC", "DESC"] {
                let sql = "SELECT \(columns) FROM outbox NOT INDEXED ORDER BY id \(order)"
                try database.readable(sql) { row in
                    guard Saved.isSound(row) else { return }
                    found[row.integer(0)] = row.values(count: 13)
                }
            }
            items = found.sorted { $0.key < $1.key }.map(\.value)
            try database.readable("SELECT id, mentions FROM outbox NOT INDEXED WHERE mentions IS NOT NULL") { row in
                mentions.append((row.integer(0), row.text(1)))
            }
            try database.readable(
                """
                SELECT thread, source, source_sequence, origin, id FROM outbox NOT INDEXED
                WHERE thread IS NOT NULL OR source IS NOT NULL
                """
            ) { row in
                others.append(row.values(count: 5))
            }
            try database.readable("SELECT if_version, id FROM outbox NOT INDEXED WHERE if_version IS NOT NULL") { row in
                versions.append(row.values(count: 2))
            }
            try database.readable("SELECT user, destination, text FROM draft NOT INDEXED") { row in
                drafts.append(row.values(count: 3))
            }
            try database.readable("SELECT device, user, epoch FROM identity") { identity = $0.values(count: 3) }
        }

        // What isn't JSON any more would only be refused.
        private static func isSound(_ row: LocalStatement) -> Bool { row.isNull(8) || JSONValue.isValid(row.bytes(8)) }

        func write(to database: LocalDatabase) throws(LocalFailure) {
            if let identity {
                _ = try Saved.run(
                    "INSERT INTO identity(id, device, user, epoch) VALUES (1, ?, ?, ?)", identity, on: database)
            }
            let marks = Array(repeating: "?", count: 13).joined(separator: ", ")
            var kept: Set<Int64> = []
            for var item in items {
                if case .integer(let parent) = item[5], !kept.contains(parent) {
                    // What was about a message that is lost has lost its meaning, but for the text of a reply.
                    guard case .integer(OutboxTable.Word.send.rawValue) = item[4] else { continue }
                    item[5] = .null
                }
                let isKept = try Saved.run(
                    "INSERT OR IGNORE INTO outbox(\(Saved.itemColumns)) VALUES (\(marks))", item, on: database)
                if isKept, database.changes > 0, case .integer(let id) = item[0] { kept.insert(id) }
            }
            for one in mentions {
                try database.run("UPDATE outbox SET mentions = ? WHERE id = ?", [.text(one.names), .integer(one.id)])
            }
            for one in versions {
                _ = try Saved.run("UPDATE outbox SET if_version = ? WHERE id = ?", one, on: database)
            }
            for one in others {
                let sql = "UPDATE outbox SET thread = ?, source = ?, source_sequence = ?, origin = ? WHERE id = ?"
                guard try !Saved.run(sql, one, on: database) else { continue }
                // What it forwards is lost. A text waits for its user's choice, since its thread is lost.
                if case .null = one[1] {
                    try database.run(
                        "UPDATE outbox SET code = ?, reason = ? WHERE id = ?",
                        [.text("\(ErrorCode.gone.word)"), .text("the thread is lost"), one[4]])
                } else {
                    try database.run("DELETE FROM outbox WHERE id = ?", [one[4]])
                }
            }
            // What was known of it is lost.
            try database.run("UPDATE outbox SET may_be_sent = 1")
            for draft in drafts {
                _ = try Saved.run(
                    "INSERT OR IGNORE INTO draft(user, destination, text) VALUES (?, ?, ?)", draft, on: database)
            }
        }

        // Returns false if a value is none that its column can have: that is damage, too.
        private static func run(
            _ sql: String, _ values: [LocalValue], on database: LocalDatabase
        ) throws(LocalFailure) -> Bool {
            do throws(LocalFailure) {
                try database.run(sql, values)
                return true
            } catch {
                if !error.isDamage { throw error }
                return false
            }
        }
    }
}

/// What became of a device's file that was damaged.
public struct LocalRepair: Sendable, Equatable {
    /// How much of the outbox could be read: messages, edits and the like that go on waiting. If the damage is there,
    /// others are lost.
    public var itemsSaved: Int
}
