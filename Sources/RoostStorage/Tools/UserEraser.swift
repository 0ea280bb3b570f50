import RoostCore
import RoostWire

/// Erases a user from a store that no relay has open: the user's messages, reactions, devices, times, status and
/// settings, and its places in conversations. The texts are deleted by events, as the user could have done it, so
/// devices of others get them when they come back. The user's tokens are revoked. The name stays, so that no other user
/// gets it with what belongs to it, and of each row its number, its time and a hash of its key.
///
/// Each step finds only what is left, so an erasing that was cut short is finished by another one.
public final class UserEraser {
    /// The result.
    public struct Result: Sendable, Equatable {
        /// Messages whose texts were erased.
        public var messages = 0
        /// Reactions that were taken back.
        public var reactions = 0
        /// Conversations that were left.
        public var conversations = 0
        /// Devices that were forgotten.
        public var devices = 0
        /// Rows and pages of the log that are damaged, so that it isn't known whether they have texts of the user, and
        /// messages of the user that couldn't be erased because an index is damaged.
        public var damaged = 0
    }

    /// Rows that one transaction changes.
    private static let rowsPerBatch = 256

    private let writer: SQLiteWriter
    private let user: UserNumber
    private let now: Timestamp
    private let progress: ToolProgress.Report
    /// The other users of the user's direct conversations, and which of them have blocked the user.
    private var peers: [ConversationNumber: (user: UserNumber, hasBlocked: Bool)] = [:]
    private var result = Result()

    /// Erases the user of this name. The files of the store have nothing of the texts after that, unless rows are
    /// damaged; backups still may.
    /// - Parameter now: milliseconds since 1970.
    /// - Throws: `ToolFailure` or `StorageFailure`, one line for the operator: `heldBack` if another program reads the
    ///   store, so that texts stay in the write-ahead log.
    public static func run(
        _ path: String, user name: String, durability: Durability, now: Int64,
        progress: @escaping ToolProgress.Report
    ) throws -> Result {
        try StoreFile.checkExists(path)
        let log = try SQLiteLog(path: path, durability: durability)
        defer { log.close() }
        // Finds a lost end of the log before anything is written behind it.
        _ = try log.load()
        let query = try log.writer.database.prepare("SELECT number FROM user WHERE name = ?1")
        try query.bind(1, copying: name)
        guard let number = try query.first({ $0.int32(0) }) else {
            throw ToolFailure.unknown(what: "user", name: name)
        }
        let eraser = UserEraser(log.writer, UserNumber(number), Timestamp(milliseconds: now), progress)
        // Rows of a conversation that was erased a moment before the relay was stopped can't be changed any more.
        while try log.writer.maintain() {}
        try eraser.erase()
        while try log.writer.maintain() {}
        guard log.writer.erasures.count == 0, try log.checkpoint() else { throw ToolFailure.heldBack(path: path) }
        _ = try StalePages.clean(log.writer.database, progress)
        return eraser.result
    }

    private init(
        _ writer: SQLiteWriter, _ user: UserNumber, _ now: Timestamp, _ progress: @escaping ToolProgress.Report
    ) {
        self.writer = writer
        self.user = user
        self.now = now
        self.progress = progress
    }

    private func erase() throws {
        // This comes first, so that the user doesn't come back with an old token if this is cut short.
        _ = try writer.commit([.revoke(user, device: nil, now)])
        try eraseWhatHasDisappeared()
        try findPeers()
        try walk(
            "erasing messages", where: { $0.event.kind == .message && $0.event.deletedAt == .never },
            damaged: { result.damaged += 1 }, change: { try deleteMessages($0) })
        try takeBackReactions()
        try leaveConversations()
        try forgetState()
        try walk(
            "erasing names of devices and keys", where: { !$0.event.device.isEmpty || $0.hasKeyInClear }, damaged: {},
            change: { try removeTraces(from: $0) })
    }

    /// From its time on a message can't be deleted any more, and a relay that was down hasn't erased it.
    private func eraseWhatHasDisappeared() throws {
        while case .expired(_, let next)? = try writer.commit([.expire(upTo: now)]).first {
            guard next != .never, next <= now else { return }
        }
    }

    /// Changes the rows that the user has sent, a batch at a time. `damaged` is called for each row and page that can't
    /// be read, of any user.
    private func walk(
        _ step: String, where isWanted: (LogRow) -> Bool, damaged: () -> Void, change: ([LogRow]) throws -> Void
    ) throws {
        let head = writer.head
        var place: Int64 = 0
        while place < head {
            var rows: [LogRow] = []
            var last = head
            try writer.log.walk(above: place, upTo: head) { columns in
                guard columns.isIntact else {
                    damaged()
                    return true
                }
                guard columns.sender == user.value, let row = columns.copy(), isWanted(row) else { return true }
                rows.append(row)
                last = columns.position
                return rows.count < UserEraser.rowsPerBatch
            } damaged: { _ in
                damaged()
                return true
            }
            try change(rows)
            place = rows.count < UserEraser.rowsPerBatch ? head : last
            progress(ToolProgress(step, place, of: head))
        }
    }

    private func findPeers() throws {
        let query = try writer.database.prepare(
            """
            SELECT other.conversation, other.user, exception.kind FROM member
                JOIN conversation ON conversation.number = member.conversation AND conversation.kind = ?2
                JOIN member AS other ON other.conversation = member.conversation AND other.user <> ?1
                LEFT JOIN exception ON exception.user = other.user AND exception.other = ?1
            WHERE member.user = ?1
            """)
        query.bind(1, user.value)
        query.bind(2, Int32(ConversationKind.direct.rawValue))
        while try query.step() {
            let hasBlocked = query.int32(2) != 0 && PrivacyException(number: query.int32(2)).isBlock
            peers[ConversationNumber(query.int32(0))] = (UserNumber(query.int32(1)), hasBlocked)
        }
    }

    /// An event of the user. It is hidden from users with a block as the user's own commands are.
    private func event(_ kind: EventKind, in conversation: ConversationNumber) -> Append {
        var event = Append(kind, in: conversation, by: user, device: "", at: now)
        guard let peer = peers[conversation] else { return event }
        event.peer = peer.user
        if peer.hasBlocked { event.withheldFrom = peer.user }
        return event
    }

    private func deleteMessages(_ rows: [LogRow]) throws {
        let outcomes = try writer.commit(
            rows.map { row in
                var event = event(.delete, in: row.event.conversation)
                event.reference = row.event.sequence
                return .append(event)
            })
        for outcome in outcomes {
            if case .stored = outcome { result.messages += 1 } else { result.damaged += 1 }
        }
    }

    /// Takes back reactions, also to deleted messages, from which they couldn't be removed otherwise.
    private func takeBackReactions() throws {
        let query = try writer.database.prepare(
            """
            SELECT conversation, sequence, reaction, withheld FROM reaction
            WHERE user = ?1 AND +conversation IN (SELECT number FROM conversation)
                AND (conversation, sequence) >= (?3, ?4)
            ORDER BY conversation, sequence LIMIT ?2
            """)
        var place = (conversation: Int32(0), sequence: Int64(0))
        while true {
            var events: [ImportedEvent] = []
            query.bind(1, user.value)
            query.bind(2, Int64(UserEraser.rowsPerBatch))
            query.bind(3, place.conversation)
            query.bind(4, place.sequence)
            while try query.step() {
                place = (query.int32(0), query.int64(1))
                var event = ImportedEvent(
                    takingBack: query.text(2), from: query.int64(1), conversation: query.int32(0),
                    last: writer.directory.conversation(query.int32(0))?.lastSequence ?? 0, sender: user.value,
                    time: now.milliseconds)
                let hasBlocked = peers[ConversationNumber(query.int32(0))]?.hasBlocked ?? false
                if query.int32(3) != 0 || hasBlocked { event.extras = event.extras.withheld }
                events.append(event)
            }
            guard !events.isEmpty else { return }
            _ = try writer.adopt(events)
            result.reactions += events.count
        }
    }

    private func leaveConversations() throws {
        let query = try writer.database.prepare(
            "SELECT conversation, role FROM member WHERE user = ?1 AND role IS NOT NULL ORDER BY conversation")
        query.bind(1, user.value)
        var places: [(conversation: Int32, role: Int32)] = []
        while try query.step() { places.append((query.int32(0), query.int32(1))) }
        let members = try writer.database.prepare(
            """
            SELECT user, name, role FROM member JOIN user ON user.number = member.user
            WHERE conversation = ?1 AND user <> ?2 AND role IS NOT NULL ORDER BY joined_at, ordinal
            """)
        for place in places {
            var event = event(.conversation, in: ConversationNumber(place.conversation))
            event.body = StoredEvent.leavingBody
            let others = try others(in: place.conversation, members)
            if others.isEmpty {
                event.change = .erase
            } else {
                let heir = place.role == Int32(MemberRole.owner.rawValue) ? heir(among: others) : nil
                if let heir { event.body += Array(",\"owner\":\"\(heir.name)\"".utf8) }
                event.change = .leave(user, heir: heir.map { UserNumber($0.user) })
            }
            _ = try writer.commit([.append(event)])
            result.conversations += 1
        }
    }

    private struct Member {
        let user: Int32
        let name: String
        let role: Int32
    }

    /// The members who stay, in the order in which they joined.
    private func others(in conversation: Int32, _ query: Statement) throws -> [Member] {
        query.bind(1, conversation)
        query.bind(2, user.value)
        var found: [Member] = []
        while try query.step() {
            found.append(Member(user: query.int32(0), name: query.text(1), role: query.int32(2)))
        }
        return found
    }

    /// The next owner, as when the user leaves by itself (`Conversation.heir`).
    private func heir(among others: [Member]) -> Member? {
        others.first { $0.role == Int32(MemberRole.admin.rawValue) } ?? others.first
    }

    private func forgetState() throws {
        var changes: [Mutation] = [
            .status(user, StoredStatus()), .privacy(user, PrivacySettings()), .presence(user, StoredPresence()),
        ]
        for number in try numbers("SELECT number FROM device WHERE user = ?1") {
            changes.append(.forgetDevice(DeviceNumber(number)))
            result.devices += 1
        }
        for other in try numbers("SELECT other FROM exception WHERE user = ?1") {
            changes.append(.exception(user, of: UserNumber(other), nil))
        }
        for version in try numbers("SELECT version FROM profile WHERE user = ?1 AND NOT deleted") {
            changes.append(.profile(user, .tombstone(version: Int64(version) + 1)))
        }
        // The user's own reports; others' reports of it stay with the operators.
        for number in try numbers("SELECT number FROM report WHERE reporter = ?1") {
            changes.append(.forgetReport(Int64(number)))
        }
        _ = try writer.commit(changes)
        try writer.change {
            try writer.directory.settings.removeAll(of: user)
            for sql in [
                "DELETE FROM receipt WHERE user = ?1",
                "DELETE FROM revocation WHERE user = ?1 AND device <> ''",
                "DELETE FROM contact WHERE low = ?1 OR high = ?1",
                "DELETE FROM prospect WHERE user = ?1",
                "DELETE FROM invite WHERE user = ?1",
                "UPDATE member SET delivered_at = 0, read_at = 0 WHERE user = ?1",
            ] {
                let change = try writer.database.prepare(sql)
                change.bind(1, user.value)
                try change.run()
            }
        }
    }

    private func numbers(_ sql: String) throws -> [Int32] {
        let query = try writer.database.prepare(sql)
        query.bind(1, user.value)
        var found: [Int32] = []
        while try query.step() { found.append(query.int32(0)) }
        return found
    }

    private func removeTraces(from rows: [LogRow]) throws {
        guard !rows.isEmpty else { return }
        try writer.change {
            for row in rows { try DepartedRows(writer).removeTraces(from: row) }
        }
    }
}
