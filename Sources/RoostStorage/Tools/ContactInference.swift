import RoostCore
import RoostWire

/// Makes contacts of the direct conversations that there are, before a gate asks for contacts: of each one in which
/// exactly one user has the one role and exactly one the other. What it makes depends only on the store, each contact
/// is made once, and one that is there already stays as it is. So a run that was cut short is finished by the next.
public struct ContactInference {
    /// Why a direct conversation makes no contact.
    public enum Skip: String, CaseIterable, Sendable {
        /// Not both users have a role of the kind, or both have the same.
        case roles
        /// Fewer than two users are in it.
        case members
        /// It waits to be accepted, or was dropped.
        case request
        /// They are contacts, or one has invited the other.
        case known
    }

    /// What was found, and done unless it was only a trial.
    public struct Result: Sendable, Equatable {
        /// Direct conversations that were looked at.
        public var conversations = 0
        /// Contacts that were made, or would be.
        public var contacts = 0
        /// The other conversations, by reason.
        public var skipped: [Skip: Int] = [:]
    }

    /// Contacts of one transaction.
    private static let contactsPerBatch = 256

    private let database: Database
    private let kind: ContactKind
    private let roles: [Int32: String]
    private let progress: ToolProgress.Report
    private var result = Result()

    /// Looks through the store, whether a relay runs on it or not, and changes nothing.
    /// - Parameter kind: two different words, which are the two roles and what the contacts are to each other.
    /// - Throws: `ToolFailure` or `StorageFailure`, one line for the operator.
    public static func tryOut(
        _ path: String, kind: ContactKind, progress: @escaping ToolProgress.Report
    ) throws -> Result {
        let database = try StoreFile.openForReading(path)
        defer { database.close() }
        try database.execute("BEGIN")
        defer { database.rollBack() }
        var inference = try ContactInference(database, kind, progress)
        try inference.run { _ in }
        return inference.result
    }

    /// Makes the contacts. The relay has to be stopped.
    /// - Throws: as `tryOut`.
    public static func apply(
        _ path: String, kind: ContactKind, durability: Durability, progress: @escaping ToolProgress.Report
    ) throws -> Result {
        try StoreFile.checkExists(path)
        let log = try SQLiteLog(path: path, durability: durability)
        defer { log.close() }
        // Finds a lost end of the log before anything is written behind it.
        _ = try log.load()
        var inference = try ContactInference(log.writer.database, kind, progress)
        var batch: [Mutation] = []
        try inference.run { contact in
            batch.append(contact)
            guard batch.count >= contactsPerBatch else { return }
            _ = try log.writer.commit(batch)
            batch.removeAll(keepingCapacity: true)
        }
        if !batch.isEmpty { _ = try log.writer.commit(batch) }
        return inference.result
    }

    private init(_ database: Database, _ kind: ContactKind, _ progress: @escaping ToolProgress.Report) throws {
        self.database = database
        self.kind = kind
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
    private mutating func run(_ body: (Mutation) throws -> Void) throws {
        // All are read before the first is written.
        let found = try candidates()
        var known = Set(try ContactTables.contacts(database).map(\.pair))
        for (index, one) in found.enumerated() {
            if index % 1_024 == 0 { progress(ToolProgress("inferring contacts", Int64(index), of: Int64(found.count))) }
            result.conversations += 1
            guard let (low, high) = one.pair else {
                note(.members)
                continue
            }
            guard let kinds = kinds(low, high) else {
                note(.roles)
                continue
            }
            guard !one.isRequest else {
                note(.request)
                continue
            }
            let pair = UserPair(UserNumber(low), UserNumber(high))
            guard known.insert(pair).inserted else {
                note(.known)
                continue
            }
            let contact = StoredContact(
                inviter: nil, low: .init(kind: kinds.low), high: .init(kind: kinds.high),
                since: Timestamp(milliseconds: one.time))
            try body(.contact(pair, contact))
            result.contacts += 1
        }
    }

    /// What the two are to each other: only if one has the one role, and the other the other.
    private func kinds(_ low: Int32, _ high: Int32) -> (low: String, high: String)? {
        guard let one = roles[low], let other = roles[high], one != other, one == kind.one || one == kind.other,
            other == kind.one || other == kind.other
        else { return nil }
        return (one, other)
    }

    private mutating func note(_ skip: Skip) { result.skipped[skip, default: 0] += 1 }

    private struct Candidate {
        /// Whether only one of them wants it.
        let isRequest: Bool
        /// When the last of them joined.
        var time: Int64 = 0
        /// Those who are in it, in the order of their numbers.
        var users: [Int32] = []

        /// The two, if they are two.
        var pair: (low: Int32, high: Int32)? {
            guard users.count == 2, let low = users.first, let high = users.last else { return nil }
            return (low, high)
        }
    }

    /// The direct conversations, in the order of their numbers.
    private func candidates() throws -> [Candidate] {
        let rows = try database.prepare(
            """
            SELECT conversation.number, member.user, coalesce(log.time, 0), conversation.request
            FROM conversation LEFT JOIN member ON member.conversation = conversation.number AND member.role IS NOT NULL
                LEFT JOIN log ON log.position = member.joined_at
            WHERE conversation.kind = ?1
            ORDER BY conversation.number, member.user
            """)
        rows.bind(1, Int32(ConversationKind.direct.rawValue))
        var found: [Candidate] = []
        var last: Int32?
        while try rows.step() {
            if last != rows.int32(0) { found.append(Candidate(isRequest: rows.int32(3) != 0)) }
            last = rows.int32(0)
            guard !rows.isNull(1), let place = found.indices.last else { continue }
            found[place].users.append(rows.int32(1))
            found[place].time = max(found[place].time, rows.int64(2))
        }
        return found
    }
}
