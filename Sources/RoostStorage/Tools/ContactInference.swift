import RoostCore
import RoostWire

/// Makes contacts from existing conversations, before a gate asks for contacts: from each direct conversation of one
/// user with the one role and one with the other and, if groups are wanted, from all such pairs in a group. The result
/// depends only on the store, each contact is made once, and an existing one stays as it is. So a run that was cut
/// short is finished by the next.
///
/// A contact made here is marked in the store until a user changes it, so that it can be taken back.
public struct ContactInference {
    /// Why a conversation makes no contact.
    public enum Skip: String, CaseIterable, Sendable {
        /// Not both users have a role of the kind, or both have the same; a group doesn't have both roles.
        case roles
        /// Fewer than two users are in it.
        case members
        /// It waits to be accepted, or was dropped.
        case request
        /// They are contacts, or one has invited the other. In a group: all such pairs are, or one of them has as many
        /// contacts as the relay allows.
        case known
    }

    /// The findings, which were also carried out unless it was only a trial.
    public struct Result: Sendable, Equatable {
        /// Direct conversations, and groups if they are wanted, that were looked at.
        public var conversations = 0
        /// Contacts that were made, or would be; of an undo, contacts that were removed, or would be.
        public var contacts = 0
        /// The other conversations, by reason.
        public var skipped: [Skip: Int] = [:]
    }

    /// Contacts of one transaction.
    private static let contactsPerBatch = 256

    private let database: Database
    private let kind: ContactKind
    private let hasGroups: Bool
    private let roles: [Int32: String]
    private let progress: ToolProgress.Report
    private var result = Result()

    /// Looks through the store, whether a relay runs on it or not, and changes nothing.
    /// - Parameters:
    ///   - kind: two different words, which are the two roles and what the contacts are to each other.
    ///   - groups: whether pairs that share only a group become contacts, too.
    /// - Throws: `ToolFailure` or `StorageFailure`, one line for the operator.
    public static func tryOut(
        _ path: String, kind: ContactKind, groups: Bool = false, progress: @escaping ToolProgress.Report
    ) throws -> Result {
        try looking(path) { database in
            var inference = try ContactInference(database, kind, groups, progress)
            try inference.run { _, _ in }
            return inference.result
        }
    }

    /// Makes the contacts. The relay has to be stopped.
    /// - Throws: as `tryOut`.
    public static func apply(
        _ path: String, kind: ContactKind, groups: Bool = false, durability: Durability,
        progress: @escaping ToolProgress.Report
    ) throws -> Result {
        try changing(path, durability) { writer in
            var inference = try ContactInference(writer.database, kind, groups, progress)
            var batch: [(pair: UserPair, contact: StoredContact)] = []
            func store() throws {
                try writer.change {
                    for (pair, contact) in batch { try writer.directory.contacts.infer(pair, contact) }
                }
                batch.removeAll(keepingCapacity: true)
            }
            try inference.run { pair, contact in
                batch.append((pair, contact))
                if batch.count >= contactsPerBatch { try store() }
            }
            try store()
            return inference.result
        }
    }

    /// Counts the contacts that `undo` would remove.
    public static func tryUndo(_ path: String, kind: ContactKind) throws -> Result {
        try looking(path) { Result(contacts: try ContactTables.inferred($0, kind).count) }
    }

    /// Removes the contacts of this kind that were made by `apply` and that neither user has changed since. The relay
    /// has to be stopped.
    /// - Throws: as `tryOut`.
    public static func undo(_ path: String, kind: ContactKind, durability: Durability) throws -> Result {
        try changing(path, durability) { writer in
            let found = try ContactTables.inferred(writer.database, kind)
            for start in stride(from: 0, to: found.count, by: contactsPerBatch) {
                try writer.change {
                    for pair in found[start..<min(start + contactsPerBatch, found.count)] {
                        try writer.directory.contacts.set(pair, to: nil)
                    }
                }
            }
            return Result(contacts: found.count)
        }
    }

    private static func looking(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        let database = try StoreFile.openForReading(path)
        defer { database.close() }
        try database.execute("BEGIN")
        defer { database.rollBack() }
        return try body(database)
    }

    private static func changing(
        _ path: String, _ durability: Durability, _ body: (SQLiteWriter) throws -> Result
    ) throws -> Result {
        try StoreFile.checkExists(path)
        let log = try SQLiteLog(path: path, durability: durability)
        defer { log.close() }
        // Finds a lost end of the log before anything is written behind it.
        _ = try log.load()
        return try body(log.writer)
    }

    private init(
        _ database: Database, _ kind: ContactKind, _ hasGroups: Bool, _ progress: @escaping ToolProgress.Report
    ) throws {
        self.database = database
        self.kind = kind
        self.hasGroups = hasGroups
        self.progress = progress
        roles = try ContactInference.roles(database)
    }

    /// The roles that users have.
    private static func roles(_ database: Database) throws -> [Int32: String] {
        let rows = try database.prepare("SELECT user, role FROM profile WHERE role <> ''")
        var roles: [Int32: String] = [:]
        while try rows.step() { roles[rows.int32(0)] = rows.text(1) }
        return roles
    }

    /// Calls `body` with each contact that is to be made, in the order of the conversations.
    private mutating func run(_ body: (UserPair, StoredContact) throws -> Void) throws {
        // All are read before the first is written.
        let found = try candidates()
        let stored = try ContactTables.contacts(database)
        var known = Set(stored.map(\.pair))
        var counts: [UserNumber: Int] = [:]
        for contact in stored { for user in contact.pair.users { counts[user, default: 0] += 1 } }
        let most = Limits().contactsPerUser
        for (index, one) in found.enumerated() {
            if index % 1_024 == 0 { progress(ToolProgress("inferring contacts", Int64(index), of: Int64(found.count))) }
            result.conversations += 1
            guard one.isGroup || one.users.count == 2 else {
                note(.members)
                continue
            }
            guard !one.users(of: kind.one, roles).isEmpty, !one.users(of: kind.other, roles).isEmpty else {
                note(.roles)
                continue
            }
            guard !one.isRequest else {
                note(.request)
                continue
            }
            let before = result.contacts
            for first in one.users(of: kind.one, roles) {
                for second in one.users(of: kind.other, roles) {
                    let pair = UserPair(UserNumber(first.number), UserNumber(second.number))
                    guard !known.contains(pair), pair.users.allSatisfy({ counts[$0, default: 0] < most }) else {
                        continue
                    }
                    known.insert(pair)
                    for user in pair.users { counts[user, default: 0] += 1 }
                    let isOrdered = pair.low.value == first.number
                    let contact = StoredContact(
                        inviter: nil, low: .init(kind: isOrdered ? kind.one : kind.other),
                        high: .init(kind: isOrdered ? kind.other : kind.one),
                        since: Timestamp(milliseconds: max(first.joined, second.joined)))
                    try body(pair, contact)
                    result.contacts += 1
                }
            }
            if result.contacts == before { note(.known) }
        }
    }

    private mutating func note(_ skip: Skip) { result.skipped[skip, default: 0] += 1 }

    private struct Member {
        let number: Int32
        /// When it joined.
        let joined: Int64
    }

    private struct Candidate {
        let isGroup: Bool
        /// Whether only one of them wants it.
        let isRequest: Bool
        /// The members, in the order of their numbers.
        var users: [Member] = []

        func users(of role: String, _ roles: [Int32: String]) -> [Member] {
            users.filter { roles[$0.number] == role }
        }
    }

    /// The conversations, in the order of their numbers: the direct ones first.
    private func candidates() throws -> [Candidate] {
        let rows = try database.prepare(
            """
            SELECT conversation.number, member.user, coalesce(log.time, 0), conversation.request, conversation.kind
            FROM conversation LEFT JOIN member ON member.conversation = conversation.number AND member.role IS NOT NULL
                LEFT JOIN log ON log.position = member.joined_at
            WHERE conversation.kind = ?1 OR ?2
            ORDER BY conversation.kind, conversation.number, member.user
            """)
        rows.bind(1, Int32(ConversationKind.direct.rawValue))
        rows.bind(2, Int32(hasGroups ? 1 : 0))
        var found: [Candidate] = []
        var last: Int32?
        while try rows.step() {
            if last != rows.int32(0) {
                let isGroup = rows.int32(4) != Int32(ConversationKind.direct.rawValue)
                found.append(Candidate(isGroup: isGroup, isRequest: rows.int32(3) != 0))
            }
            last = rows.int32(0)
            guard !rows.isNull(1), let place = found.indices.last else { continue }
            found[place].users.append(Member(number: rows.int32(1), joined: rows.int64(2)))
        }
        return found
    }
}

extension UserPair {
    fileprivate var users: [UserNumber] { [low, high] }
}
