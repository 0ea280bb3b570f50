import RoostWire

/// The readable rows of a damaged file.
struct SavedRows {
    private var items: [Int64: [LocalValue]] = [:]
    private var drafts: [[LocalValue]] = []
    private var identity: [LocalValue]?
    // Whether the file is of a form in which rows have no sums yet.
    private var isOld = false

    // A file that can't be read just now isn't damaged: another start may read it.
    init(_ path: String) throws(LocalFailure) {
        let pages = DamagedPages(path)
        pages.rows { take($0) }
        pages.close()
        if items.isEmpty { try readOldForm(path) }
    }

    private mutating func take(_ row: DamagedPages.Row) {
        var values = row.values
        if case .null? = values.first { values[0] = .integer(row.number) }
        if OutboxTable.isRow(values) {
            items[row.number] = values
        } else if LocalIdentity.isRow(values) {
            identity = LocalIdentity.kept(of: values)
        } else if values.count == 3, values.allSatisfy({ $0.isText }) {
            drafts.append(values)
        }
    }

    // Before rows had sums they had fewer columns, too. SQLite reads what it can.
    private mutating func readOldForm(_ path: String) throws(LocalFailure) {
        let database: LocalDatabase
        do throws(LocalFailure) { database = try LocalDatabase(path: path, migrations: nil, mayCreate: false) } catch {
            guard error.isDamage || error.isMissing else { throw error }
            return
        }
        defer { database.closeKeepingLog() }
        var found: Set<String> = []
        try database.readable("SELECT name FROM pragma_table_info('outbox')") { found.insert($0.text(0)) }
        guard !found.isEmpty, !found.contains("checksum") else { return }
        isOld = true
        let columns = OutboxTable.stored.map { found.contains($0) ? $0 : "NULL" }.joined(separator: ", ")
        // An unreadable page ends a walk: so there is one from either end.
        for order in ["ASC", "DESC"] {
            try database.readable("SELECT \(columns) FROM outbox NOT INDEXED ORDER BY id \(order)") { row in
                let values = row.values(count: Int32(OutboxTable.stored.count))
                if OutboxTable.isRow(values) { items[row.integer(0)] = values }
            }
        }
    }

    // MARK: Writing

    func write(to database: LocalDatabase) throws(LocalFailure) -> LocalRepair {
        try writeItems(to: database)
        if isOld { try database.run(OutboxTable.sealAll) }
        let changed = try database.rows(OutboxTable.changed) { ($0.integer(0), $0.integer(1), $0.bytes(2)) }
        for (id, word, body) in changed where word != OutboxTable.Word.delete.rawValue && !JSONValue.isValid(body) {
            // The rest is a text, for its user to mend.
            let text = MessageBody(text: String(decoding: body, as: UTF8.self)).json
            try database.run("UPDATE outbox SET kind = NULL, body = ? WHERE id = ?", [.bytes(text), .integer(id)])
        }
        for sql in OutboxTable.settleChanged { try database.run(sql) }
        for (id, _, _) in changed { try database.run(OutboxTable.fail, SavedRows.failure + [.integer(id)]) }
        try database.run(OutboxTable.sealAll)
        try writeIdentity(to: database)
        for draft in drafts {
            try database.run("INSERT OR IGNORE INTO draft(user, destination, text) VALUES (?, ?, ?)", draft)
        }
        let count = try database.rows("SELECT count(*) FROM outbox") { $0.integer(0) }.first ?? 0
        let left = try database.rows(
            "SELECT count(*) FROM outbox WHERE code = ? AND reason = ?", SavedRows.failure
        ) { $0.integer(0) }
        return LocalRepair(itemsSaved: Int(clamping: count), itemsChanged: Int(clamping: left.first ?? 0))
    }

    /// Why an item waits for its user whose row isn't as it was written.
    private static let failure: [LocalValue] = [
        .text("\(ErrorCode.badRequest.word)"), .text("this device's file was damaged here"),
    ]

    private func writeItems(to database: LocalDatabase) throws(LocalFailure) {
        let columns = OutboxTable.stored.joined(separator: ", ")
        let marks = Array(repeating: "?", count: OutboxTable.stored.count).joined(separator: ", ")
        for (_, item) in items.sorted(by: { $0.key < $1.key }) {
            try database.run("INSERT OR IGNORE INTO outbox(\(columns)) VALUES (\(marks))", item)
        }
    }

    private func writeIdentity(to database: LocalDatabase) throws(LocalFailure) {
        guard var identity else { return }
        // The position goes with the cache. A changed name is no user's.
        if !isOld, try !LocalIdentity.isSound(identity, on: database) {
            identity[2] = .null
            identity[3] = .null
        }
        try database.run(LocalIdentity.insert, Array(identity.prefix(4)))
        try LocalIdentity.seal(database)
    }
}

extension LocalValue {
    /// Whether it is a text.
    var isText: Bool {
        if case .text = self { true } else { false }
    }

    /// Whether it is a text, or nothing.
    var isTextOrNull: Bool {
        switch self {
        case .text, .null: true
        case .integer, .bytes: false
        }
    }

    /// Whether it is a number, or nothing.
    var isNumberOrNull: Bool {
        switch self {
        case .integer, .null: true
        case .text, .bytes: false
        }
    }
}
