import RoostCore
import RoostWire

extension SQLiteReader {
    /// Settings of a user, in the order of keys.
    func settings(_ request: SettingsRequest, ticket: UInt64) throws -> ReadResult {
        try transact {
            var result = ReadResult(ticket: ticket)
            var bytes = 0
            func take(_ row: Statement) -> Bool {
                bytes += row.bytes(3).count
                guard result.events.isEmpty || result.events.count < request.rows && bytes <= request.bytes else {
                    result.hasMore = true
                    return false
                }
                result.events.append(setting(row, of: request.user))
                return true
            }
            switch request.selection {
            case .all: try walk("", above: request.after, of: request.user, take)
            case .prefix(let prefix): try walk(prefix, above: request.after, of: request.user, take)
            case .keys(let keys):
                let query = statements.setting
                for key in Set(keys).sorted() where key > request.after {
                    query.bind(1, request.user.value)
                    try query.bind(2, copying: key)
                    guard try query.first(take) ?? true else { break }
                }
            }
            return result
        }
    }

    /// Calls `body` with the rows of keys with a prefix behind a key, until it returns false.
    private func walk(
        _ prefix: String, above after: String, of user: UserNumber, _ body: (Statement) -> Bool
    ) throws {
        let query = statements.settings
        query.bind(1, user.value)
        try query.bind(2, copying: max(prefix, after))
        defer { query.reset() }
        while try query.step() {
            let key = query.text(0)
            guard key.utf8.starts(with: prefix.utf8) else { return }
            guard key > after else { continue }
            guard body(query) else { return }
        }
    }

    private func setting(_ row: Statement, of user: UserNumber) -> StoredEvent {
        var event = Append(
            .state, in: ConversationNumber(settingsOf: user), by: user, device: row.text(4),
            at: Timestamp(milliseconds: row.int64(2)))
        event.label = row.text(0)
        event.body = [UInt8](row.bytes(3))
        return StoredEvent(event, position: Position(row.int64(1)), sequence: .none)
    }

    // MARK: Catching up

    /// The settings that a device has missed: places that a page reads like rows of the tail.
    func view(ofSettings span: PageRequest.Span, of user: UserNumber, limit: Int) throws -> EventTail.View {
        var view = EventTail.View(floor: 0, sequenceAtAfter: 0, sequenceAtUpTo: 0)
        let query = statements.missedSettings
        query.bind(1, user.value)
        query.bind(2, span.after.value)
        query.bind(3, span.upTo.value)
        defer { query.reset() }
        while try query.step() {
            guard view.entries.count < limit else {
                view.isCut = true
                break
            }
            view.entries.append(EventEntry(position: query.int64(0), sequence: 0, isMessage: false))
        }
        return view
    }

    /// The setting at a position.
    func setting(at position: Int64, of user: UserNumber) throws -> StoredEvent? {
        let query = statements.settingAt
        query.bind(1, user.value)
        query.bind(2, position)
        return try query.first { setting($0, of: user) }
    }
}

extension ReaderStatements {
    private static let columns = "key, position, time, value, device"
    static let settingSQL = "SELECT \(columns) FROM state WHERE user = ?1 AND key = ?2 AND value IS NOT NULL"
    static let settingsSQL = """
        SELECT \(columns) FROM state WHERE user = ?1 AND key >= ?2 AND value IS NOT NULL ORDER BY key
        """
    static let settingAtSQL = "SELECT \(columns) FROM state WHERE user = ?1 AND position = ?2"
    static let missedSettingsSQL = """
        SELECT position FROM state WHERE user = ?1 AND position > ?2 AND position <= ?3 ORDER BY position
        """
}
