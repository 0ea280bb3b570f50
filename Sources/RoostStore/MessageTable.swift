import RoostWire

/// The stored messages in SQL. It belongs to the thread of its database, and to a transaction of its caller's.
struct MessageTable {
    let database: LocalDatabase
    /// Most messages kept of one conversation. The oldest go first, and `history` has them.
    let most: Int
    let doubts = Doubts()
    let olderFiles = OlderFiles()

    private static let columns =
        """
        conversation, sequence, key, sender, time, kind, body, reply_to, edited_at, deleted_at, reactions, is_stale,
        mentions, expires, is_hidden, thread, origin, replies, last_reply, replied_at, version
        """

    // MARK: Reading

    /// Up to `limit` messages below a sequence, oldest first.
    func page(
        of conversation: String, below: SequenceNumber, limit: Int
    ) throws(LocalFailure) -> [LocalMessage] {
        try database.rows(
            """
            SELECT \(MessageTable.columns) FROM message WHERE conversation = ? AND sequence < ?
            ORDER BY sequence DESC LIMIT ?
            """,
            [.text(conversation), .integer(below.value), .integer(Int64(limit))], MessageTable.message
        ).reversed()
    }

    /// Up to `limit` messages from a sequence on, oldest first.
    func page(
        of conversation: String, from: SequenceNumber, limit: Int
    ) throws(LocalFailure) -> [LocalMessage] {
        try database.rows(
            """
            SELECT \(MessageTable.columns) FROM message WHERE conversation = ? AND sequence >= ?
            ORDER BY sequence LIMIT ?
            """,
            [.text(conversation), .integer(from.value), .integer(Int64(limit))], MessageTable.message)
    }

    /// One message; nil if it isn't here.
    func message(_ conversation: String, _ sequence: SequenceNumber) throws(LocalFailure) -> LocalMessage? {
        try page(of: conversation, from: sequence, limit: 1).first { $0.sequence == sequence }
    }

    /// The message of this user that was typed under a key; nil if it isn't here.
    func sequence(ofKey key: String, in conversation: String) throws(LocalFailure) -> SequenceNumber? {
        try database.rows(
            "SELECT sequence FROM message WHERE conversation = ? AND key = ? ORDER BY sequence DESC LIMIT 1",
            [.text(conversation), .text(key)]
        ) { SequenceNumber($0.integer(0)) }.first
    }

    private static func message(_ row: LocalStatement) -> LocalMessage {
        func time(_ column: Int32) -> Timestamp? {
            row.isNull(column) ? nil : Timestamp(milliseconds: row.integer(column))
        }
        var message = LocalMessage(
            conversation: row.text(0), sequence: SequenceNumber(row.integer(1)),
            key: row.isNull(2) ? nil : row.text(2), from: row.text(3),
            time: Timestamp(milliseconds: row.integer(4)), kind: row.text(5),
            body: row.isNull(6) ? nil : MessageBody(json: row.bytes(6)),
            replyTo: row.isNull(7) ? nil : SequenceNumber(row.integer(7)), editedAt: time(8), deletedAt: time(9),
            reactions: row.isNull(10) ? [] : Reactions.read(row.bytes(10)), isStale: row.integer(11) != 0)
        message.mentions = row.isNull(12) ? [] : Mentions.read(row.text(12))
        message.expires = time(13)
        message.isHidden = row.integer(14) != 0
        message.thread = row.isNull(15) ? nil : SequenceNumber(row.integer(15))
        message.origin = row.isNull(16) ? nil : row.text(16)
        message.version = row.integer(20)
        if let repliedAt = time(19) {
            message.replies = ThreadSummary(
                count: Int(clamping: row.integer(17)), last: SequenceNumber(row.integer(18)), time: repliedAt)
        }
        return message
    }

    // MARK: Writing

    /// Keeps a message unless it is here already.
    /// - Returns: whether it is new.
    func insert(_ message: LocalMessage) throws(LocalFailure) -> Bool {
        try write("INSERT OR IGNORE", message)
        return database.changes > 0
    }

    /// Keeps a message as `history` shows it now. The key under which it was typed here stays.
    func replace(_ message: LocalMessage) throws(LocalFailure) {
        try write(
            "INSERT", message,
            """
            ON CONFLICT (conversation, sequence) DO UPDATE SET
                key = coalesce(excluded.key, key), sender = excluded.sender, time = excluded.time,
                kind = excluded.kind, body = excluded.body, reply_to = excluded.reply_to,
                edited_at = excluded.edited_at, deleted_at = excluded.deleted_at, reactions = excluded.reactions,
                is_stale = excluded.is_stale, mentions = excluded.mentions, expires = excluded.expires,
                is_hidden = excluded.is_hidden, thread = excluded.thread, origin = excluded.origin,
                replies = excluded.replies, last_reply = excluded.last_reply, replied_at = excluded.replied_at,
                version = excluded.version
            """)
    }

    private func write(_ verb: String, _ message: LocalMessage, _ rest: String = "") throws(LocalFailure) {
        func time(_ time: Timestamp?) -> LocalValue { time.map { .integer($0.milliseconds) } ?? .null }
        try database.run(
            """
            \(verb) INTO message(\(MessageTable.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \(rest)
            """,
            [
                .text(message.conversation), .integer(message.sequence.value), message.key.map { .text($0) } ?? .null,
                .text(message.from), .integer(message.time.milliseconds), .text(message.kind),
                message.body.map { .bytes($0.json) } ?? .null,
                message.replyTo.map { .integer($0.value) } ?? .null, time(message.editedAt), time(message.deletedAt),
                message.reactions.isEmpty ? .null : .bytes(Reactions.written(message.reactions)),
                .integer(message.isStale ? 1 : 0), Mentions.value(message.mentions), time(message.expires),
                .integer(message.isHidden ? 1 : 0), message.thread.map { .integer($0.value) } ?? .null,
                message.origin.map { .text($0) } ?? .null,
                message.replies.map { .integer(Int64($0.count)) } ?? .null,
                message.replies.map { .integer($0.last.value) } ?? .null, time(message.replies?.time),
                .integer(message.version),
            ])
    }

    /// Gives a message another body, and other mentions with it.
    /// - Parameter version: nil if the message had this body already, and keeps its version.
    func edit(
        _ conversation: String, _ sequence: SequenceNumber, _ body: [UInt8], mentions: [String] = [],
        version: Int64?, at time: Timestamp
    ) throws(LocalFailure) {
        try database.run(
            """
            UPDATE message SET body = ?, mentions = ?, edited_at = ?, version = coalesce(?, version)
            WHERE conversation = ? AND sequence = ? AND deleted_at IS NULL
            """,
            [
                .bytes(body), Mentions.value(mentions), .integer(time.milliseconds),
                version.map { .integer($0) } ?? .null, .text(conversation), .integer(sequence.value),
            ])
    }

    /// Takes body and reactions of a message away.
    func delete(_ conversation: String, _ sequence: SequenceNumber, at time: Timestamp) throws(LocalFailure) {
        try database.run(
            """
            UPDATE message SET body = NULL, reactions = NULL, mentions = NULL, is_stale = 0, deleted_at = ?
            WHERE conversation = ? AND sequence = ?
            """,
            [.integer(time.milliseconds), .text(conversation), .integer(sequence.value)])
    }

    // MARK: Threads

    /// The newest messages of a thread from a sequence on, at most `limit`, oldest first, without those that were
    /// deleted.
    func page(
        ofThread root: SequenceNumber, in conversation: String, from: SequenceNumber, limit: Int
    ) throws(LocalFailure) -> [LocalMessage] {
        try database.rows(
            """
            SELECT \(MessageTable.columns) FROM message
            WHERE conversation = ? AND thread = ? AND sequence >= ? AND deleted_at IS NULL
            ORDER BY sequence DESC LIMIT ?
            """,
            [.text(conversation), .integer(root.value), .integer(from.value), .integer(Int64(limit))],
            MessageTable.message
        ).reversed()
    }

    /// A message is here for the first time: the thread that it belongs to has one more, if that wasn't counted yet.
    /// - Parameter isEvent: whether it may be out of order, as the user's own messages are while the device catches up.
    ///   Then only `history` knows which were counted.
    func countReply(_ message: LocalMessage, isEvent: Bool) throws(LocalFailure) {
        guard let thread = message.thread, message.deletedAt == nil,
            var root = try self.message(message.conversation, thread)
        else { return }
        if message.sequence > root.replies?.last ?? .none {
            let count = min((root.replies?.count ?? 0) + 1, Limits().repliesCounted)
            root.replies = ThreadSummary(count: count, last: message.sequence, time: message.time)
        } else {
            guard isEvent else { return }
            root.isStale = true
            doubts.note(root.conversation, root.sequence)
        }
        try replace(root)
    }

    /// The relay has counted a thread up to its last message then; what is here behind that has come since.
    func countLaterReplies(of root: inout LocalMessage) throws(LocalFailure) {
        let later = try page(
            ofThread: root.sequence, in: root.conversation,
            from: SequenceNumber((root.replies?.last ?? root.sequence).value &+ 1), limit: Limits().repliesCounted)
        guard let last = later.last else { return }
        let count = min((root.replies?.count ?? 0) + later.count, Limits().repliesCounted)
        root.replies = ThreadSummary(count: count, last: last.sequence, time: last.time)
    }

    /// A message of a thread has gone: which is the last one now, `history` says.
    func uncountReply(_ message: LocalMessage) throws(LocalFailure) {
        guard let thread = message.thread, message.deletedAt == nil,
            var root = try self.message(message.conversation, thread), let replies = root.replies
        else { return }
        root.replies = replies.count > 1 ? replies : nil
        root.replies?.count -= 1
        root.isStale = true
        doubts.note(root.conversation, root.sequence)
        try replace(root)
    }

    /// Messages were left out, and whether they belong to threads that began before them, only `history` knows.
    func doubtReplies(in conversation: String, before sequence: SequenceNumber) throws(LocalFailure) {
        doubts.note(conversation, .min...max(.min, sequence.value &- 1))
        try database.run(
            "UPDATE message SET is_stale = 1 WHERE conversation = ? AND sequence < ? AND deleted_at IS NULL",
            [.text(conversation), .integer(sequence.value)])
    }

    // MARK: Disappearing messages

    /// When the next message disappears; nil if none will.
    func nextExpiry() throws(LocalFailure) -> Timestamp? {
        try database.rows(
            """
            SELECT expires FROM message WHERE expires IS NOT NULL AND deleted_at IS NULL ORDER BY expires LIMIT 1
            """
        ) { Timestamp(milliseconds: $0.integer(0)) }.first
    }

    /// Up to `limit` messages whose time has come, the first ones first.
    func due(by now: Timestamp, limit: Int) throws(LocalFailure) -> [LocalMessage] {
        try database.rows(
            """
            SELECT \(MessageTable.columns) FROM message
            WHERE expires IS NOT NULL AND expires <= ? AND deleted_at IS NULL ORDER BY expires LIMIT ?
            """,
            [.integer(now.milliseconds), .integer(Int64(limit))], MessageTable.message)
    }

    // MARK: Reactions

    /// Changes the reactions of a message that is here.
    func react(
        _ conversation: String, _ sequence: SequenceNumber, _ change: (inout [ReactionCount]) -> Void, isStale: Bool
    ) throws(LocalFailure) {
        guard var message = try message(conversation, sequence), message.deletedAt == nil else { return }
        change(&message.reactions)
        doubts.note(conversation, sequence)
        message.isStale = message.isStale || isStale
        try replace(message)
    }

    /// Notes an answer with the reactions of these messages, asked for when `asked` was the number of doubts: a message
    /// that it left out isn't asked for again, unless it has changed since.
    func settle(
        _ conversation: String, from: SequenceNumber, to: SequenceNumber, asked: Int
    ) throws(LocalFailure) {
        let stale = try database.rows(
            "SELECT sequence FROM message WHERE conversation = ? AND sequence BETWEEN ? AND ? AND is_stale",
            [.text(conversation), .integer(from.value), .integer(to.value)]
        ) { SequenceNumber($0.integer(0)) }
        for sequence in stale where !doubts.has(conversation, sequence, since: asked) {
            try database.run(
                "UPDATE message SET is_stale = 0 WHERE conversation = ? AND sequence = ?",
                [.text(conversation), .integer(sequence.value)])
        }
    }

    /// The first 200 messages behind a sequence with a mention, oldest first: the relay counts no more.
    func mentioning(
        in conversation: String, after sequence: SequenceNumber
    ) throws(LocalFailure) -> [LocalMessage] {
        try database.rows(
            """
            SELECT \(MessageTable.columns) FROM message WHERE conversation = ? AND sequence > ? AND mentions IS NOT NULL
            ORDER BY sequence LIMIT 200
            """,
            [.text(conversation), .integer(sequence.value)], MessageTable.message)
    }

    /// Number of hidden messages kept behind a sequence.
    func hidden(in conversation: String, after sequence: SequenceNumber) throws(LocalFailure) -> Int {
        let counts = try database.rows(
            "SELECT count(*) FROM message WHERE conversation = ? AND sequence > ? AND is_hidden",
            [.text(conversation), .integer(sequence.value)]
        ) { Int(clamping: $0.integer(0)) }
        return counts.first ?? 0
    }

    /// Messages of a user in groups, and those that are hidden, aren't shown any more as they are here.
    func doubt(from user: String) throws(LocalFailure) {
        doubts.note(nil, .min ... .max)
        try database.run(
            """
            UPDATE message SET is_stale = 1 WHERE (sender = ? OR is_hidden)
                AND conversation IN (SELECT id FROM conversation WHERE kind = ?)
            """,
            [.text(user), .integer(Int64(ConversationKind.group.rawValue))])
    }

    /// Forgets the messages from one sequence to another: they aren't here, or out of date.
    func forget(
        _ conversation: String, from: SequenceNumber = .none, to: SequenceNumber
    ) throws(LocalFailure) {
        try database.run(
            "DELETE FROM message WHERE conversation = ? AND sequence BETWEEN ? AND ?",
            [.text(conversation), .integer(from.value), .integer(to.value)])
    }

    /// Forgets the oldest messages of a conversation whose newest one is `sequence`, if there are more than `most`.
    func trim(_ conversation: String, newest sequence: SequenceNumber) throws(LocalFailure) {
        guard sequence.value > Int64(most) else { return }
        try forget(conversation, to: SequenceNumber(sequence.value - Int64(most)))
    }
}

/// Mentions as the store keeps them: names without spaces, with spaces between them.
enum Mentions {
    static func value(_ names: [String]) -> LocalValue { names.isEmpty ? .null : .text(names.joined(separator: " ")) }

    static func read(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}

extension LocalMessage {
    /// Whether it mentions a user, by name or with all others, and isn't the user's own.
    func mentions(_ user: String) -> Bool {
        from != user && (mentions.contains(user) || mentions.contains("@all"))
    }
}

/// Reactions as the store keeps them: a list of objects as on the wire.
enum Reactions {
    static func written(_ reactions: [ReactionCount]) -> [UInt8] {
        let writer = JSONWriter()
        writer.beginBare()
        writer.beginObject()
        writer.beginArray("reactions")
        for one in reactions {
            writer.beginObject()
            writer.member("reaction", one.reaction)
            writer.member("count", Int64(one.count))
            if one.isMine { writer.member("mine", true) }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return Array(writer.written)
    }

    static func read(_ bytes: [UInt8]) -> [ReactionCount] {
        let members = bytes.withUnsafeBytes { JSONMembers(parsing: $0) }
        return (members?.objects("reactions") ?? []).compactMap(ReactionCount.init(reading:))
    }
}

extension [ReactionCount] {
    /// The user reacted, or took a reaction back. Doing it again changes nothing.
    package mutating func setMine(_ reaction: String, isOn: Bool) {
        let index = firstIndex { $0.reaction == reaction }
        guard (index.map { self[$0].isMine } ?? false) != isOn else { return }
        change(reaction, by: isOn ? 1 : -1)
        if let index = firstIndex(where: { $0.reaction == reaction }) { self[index].isMine = isOn }
    }

    /// Another user reacted, or took a reaction back.
    mutating func change(_ reaction: String, by number: Int) {
        if let index = firstIndex(where: { $0.reaction == reaction }) {
            self[index].count += number
            if self[index].count <= 0 { remove(at: index) }
        } else if number > 0 {
            append(ReactionCount(reaction, count: number, isMine: false))
        }
    }
}
