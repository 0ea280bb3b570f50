import RoostCore
import RoostWire

/// The settings of users: the newest value of each key, with the position at which it was set. A setting has no row in
/// the log, so a key that is set a million times takes no more room than one that is set once. A removed key stays as a
/// row without a value, for devices that were away; of the oldest removals only the newest position stays, in a row
/// with an empty key. On the writer's thread, in its transactions.
final class SettingTable {
    /// Numbers of a user's keys and removals.
    private struct Counts {
        var set = 0
        var removed = 0
    }

    /// A row.
    private struct Setting {
        var position: Int64
        var time: Int64
        /// Empty if it was removed.
        var value: [UInt8]
    }

    private let find: Statement
    private let put: Statement
    private let oldest: Statement
    private let forget: Statement
    private let remove: Statement
    private let meta: Meta
    private let perUser: Int
    private var counts: [Int32: Counts] = [:]

    /// Counts what is there.
    init(_ database: Database, perUser: Int = Limits().statesPerUser) throws {
        meta = try Meta(database)
        self.perUser = perUser
        find = try database.prepare("SELECT position, time, value FROM state WHERE user = ?1 AND key = ?2")
        put = try database.prepare(
            """
            INSERT INTO state (user, key, position, time, device, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT DO UPDATE SET position = excluded.position, time = excluded.time, device = excluded.device,
                value = excluded.value
            """)
        oldest = try database.prepare(
            """
            SELECT position FROM state WHERE user = ?1 AND value IS NULL AND key <> ''
            ORDER BY position LIMIT 1 OFFSET ?2
            """)
        forget = try database.prepare("DELETE FROM state WHERE user = ?1 AND value IS NULL AND position <= ?2")
        remove = try database.prepare("DELETE FROM state WHERE user = ?1")
        let query = try database.prepare(
            """
            SELECT user, count(iif(key LIKE '@%', NULL, value)), count(*) - count(value) FROM state WHERE key <> ''
            GROUP BY user
            """)
        while try query.step() {
            counts[query.int32(0)] = Counts(set: Int(query.int64(1)), removed: Int(query.int64(2)))
        }
    }

    /// Decides about a setting and stores it.
    /// - Parameter position: where it would be.
    func set(_ event: Append, at position: Int64) throws -> Outcome {
        let user = event.sender.value
        let row = try row(of: event.label, user)
        let present = row.flatMap { $0.value.isEmpty ? nil : $0 }
        // Most likely a retry. If another device set the same value, the user has what it wants, too.
        if let present, present.value == event.body {
            return .duplicate(
                Position(present.position), .none, event.conversation, Timestamp(milliseconds: present.time))
        }
        if present == nil, event.body.isEmpty { return .unchanged }
        if event.flag, event.reference.value != present?.position ?? 0 { return .refused(.conflict) }
        var count = counts[user] ?? Counts()
        if !event.isOwnSetting {
            // There is one key of that kind, and it isn't removed.
        } else if present == nil {
            guard count.set < perUser else { return .refused(.tooLarge) }
            count.set += 1
            if row != nil { count.removed -= 1 }
        } else if event.body.isEmpty {
            count.set -= 1
            count.removed += 1
        }
        try store(event, at: position)
        try settle(position)
        if count.removed > perUser { count.removed -= try forgetRemovals(of: user, event) }
        counts[user] = count
        return .stored(Position(position), .none)
    }

    /// Stores a setting of an import, unless the store knows the key or the user has too many. Returns whether it did.
    func adopt(_ event: Append, at position: Int64) throws -> Bool {
        let user = event.sender.value
        guard !event.isOwnSetting || counts[user]?.set ?? 0 < perUser, try row(of: event.label, user) == nil else {
            return false
        }
        try store(event, at: position)
        try settle(position)
        counts[user, default: Counts()].set += event.isOwnSetting ? 1 : 0
        return true
    }

    /// Removes everything that a user has set.
    func removeAll(of user: UserNumber) throws {
        guard counts.removeValue(forKey: user.value) != nil else { return }
        remove.bind(1, user.value)
        try remove.run()
    }

    private func row(of key: String, _ user: Int32) throws -> Setting? {
        find.bind(1, user)
        try find.bind(2, copying: key)
        return try find.first { Setting(position: $0.int64(0), time: $0.int64(1), value: [UInt8]($0.bytes(2))) }
    }

    private func store(_ event: Append, at position: Int64) throws {
        put.bind(1, event.sender.value)
        try put.bind(2, copying: event.label)
        put.bind(3, position)
        put.bind(4, event.time.milliseconds)
        try put.bind(5, copying: event.device)
        try event.body.withUnsafeBytes { value in
            try put.bind(6, borrowedText: value)
            try put.run()
        }
    }

    /// No position up to here is given again, although the log has no row there.
    private func settle(_ position: Int64) throws { try meta.set("head_floor", to: position) }

    /// Forgets the older half of the removals: a device that missed them reads everything anew. Returns their number.
    private func forgetRemovals(of user: Int32, _ event: Append) throws -> Int {
        let half = max(1, perUser / 2)
        oldest.bind(1, user)
        oldest.bind(2, Int64(half - 1))
        guard let last = try oldest.first({ $0.int64(0) }) else { return 0 }
        forget.bind(1, user)
        forget.bind(2, last)
        try forget.run()
        var mark = event
        mark.label = ""
        mark.device = ""
        mark.body = []
        try store(mark, at: last)
        return half
    }
}
