import RoostWire

/// The conversations and how far their members have got, in SQL. It belongs to the thread of its database, and to a
/// transaction of its caller's.
struct ConversationTable {
    let database: LocalDatabase

    private static let columns =
        """
        id, kind, name, role, count, members, first, sequence, read, unread, time, is_stale, mentions, first_mention,
        expiry, request, inviter, posting, timeout, timeout_reason, slow, joining, waiting
        """

    // MARK: Reading

    /// Up to `limit` conversations, those first in which something happened last.
    /// - Parameter areRequests: those that wait for the user to accept them; otherwise only others.
    func page(limit: Int, areRequests: Bool) throws(LocalFailure) -> [LocalConversation] {
        let wanted = areRequests ? ConversationTable.isWaiting : ConversationTable.isListed
        return try database.rows(
            """
            SELECT \(ConversationTable.columns) FROM conversation WHERE \(wanted) ORDER BY time DESC, id DESC LIMIT ?
            """,
            [.integer(Int64(limit))], ConversationTable.conversation)
    }

    private static let isWaiting = "request = \(RequestState.received.rawValue)"
    private static let isListed = "coalesce(request, \(RequestState.sent.rawValue)) = \(RequestState.sent.rawValue)"

    /// One conversation; nil if this device doesn't know it.
    func conversation(_ id: String) throws(LocalFailure) -> LocalConversation? {
        try database.rows(
            "SELECT \(ConversationTable.columns) FROM conversation WHERE id = ?", [.text(id)],
            ConversationTable.conversation
        ).first
    }

    /// The direct conversation with a user; nil if this device doesn't know one.
    func direct(with user: String) throws(LocalFailure) -> LocalConversation? {
        try database.rows(
            "SELECT \(ConversationTable.columns) FROM conversation WHERE peer = ?", [.text(user)],
            ConversationTable.conversation
        ).first
    }

    /// Up to `limit` conversations that must be asked anew.
    func stale(limit: Int) throws(LocalFailure) -> [String] {
        try database.rows(
            "SELECT id FROM conversation WHERE is_stale LIMIT ?", [.integer(Int64(limit))]
        ) { $0.text(0) }
    }

    /// All unread messages.
    func unread() throws(LocalFailure) -> Int {
        let sum = try database.rows(
            "SELECT coalesce(sum(unread), 0) FROM conversation WHERE unread > 0 AND \(ConversationTable.isListed)"
        ) { $0.integer(0) }
        return Int(clamping: sum.first ?? 0)
    }

    private static func conversation(_ row: LocalStatement) -> LocalConversation {
        var conversation = LocalConversation(
            id: row.text(0), kind: ConversationKind(rawValue: UInt8(clamping: row.integer(1))) ?? .direct,
            name: row.isNull(2) ? nil : row.text(2),
            role: MemberRole(rawValue: UInt8(clamping: row.integer(3))) ?? .member,
            count: Int(clamping: row.integer(4)),
            members: row.text(5).split(separator: " ").map(String.init), first: SequenceNumber(row.integer(6)),
            sequence: SequenceNumber(row.integer(7)), time: Timestamp(milliseconds: row.integer(10)))
        conversation.read = SequenceNumber(row.integer(8))
        conversation.unread = Int(clamping: row.integer(9))
        conversation.isStale = row.integer(11) != 0
        conversation.mentions = Int(clamping: row.integer(12))
        conversation.firstMention = row.isNull(13) ? nil : SequenceNumber(row.integer(13))
        conversation.expiry = row.integer(14)
        if !row.isNull(15) { conversation.request = RequestState(rawValue: UInt8(clamping: row.integer(15))) }
        conversation.inviter = row.isNull(16) ? nil : row.text(16)
        conversation.posting = PostingRule(rawValue: UInt8(clamping: row.integer(17))) ?? .all
        if !row.isNull(18) {
            conversation.timeout = MemberTimeout(
                until: Timestamp(milliseconds: row.integer(18)),
                reason: row.isNull(19) ? nil : ReportReason(rawValue: UInt8(clamping: row.integer(19))))
        }
        conversation.slow = row.integer(20)
        conversation.joining = JoiningRule(rawValue: UInt8(clamping: row.integer(21))) ?? .open
        conversation.waiting = Int(clamping: row.integer(22))
        return conversation
    }

    // MARK: Writing

    /// Keeps a conversation as it is now.
    /// - Parameter user: the user of this device.
    func put(_ one: LocalConversation, for user: String) throws(LocalFailure) {
        try database.run(
            """
            INSERT OR REPLACE INTO conversation(\(ConversationTable.columns), peer)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(one.id), .integer(Int64(one.kind.rawValue)), one.name.map { .text($0) } ?? .null,
                .integer(Int64(one.role.rawValue)), .integer(Int64(one.count)),
                .text(one.members.joined(separator: " ")), .integer(one.first.value), .integer(one.sequence.value),
                .integer(one.read.value), .integer(Int64(one.unread)), .integer(one.time.milliseconds),
                .integer(one.isStale ? 1 : 0), .integer(Int64(one.mentions)),
                one.firstMention.map { .integer($0.value) } ?? .null, .integer(one.expiry),
                one.request.map { .integer(Int64($0.rawValue)) } ?? .null, one.inviter.map { .text($0) } ?? .null,
                .integer(Int64(one.posting.rawValue)),
                one.timeout.map { .integer($0.until.milliseconds) } ?? .null,
                one.timeout?.reason.map { .integer(Int64($0.rawValue)) } ?? .null,
                .integer(one.slow), .integer(Int64(one.joining.rawValue)), .integer(Int64(one.waiting)),
                one.peer(of: user).map { .text($0) } ?? .null,
            ])
    }

    /// Sets the number of users who wait to join a group.
    func setWaiting(_ count: Int, in id: String) throws(LocalFailure) {
        try database.run("UPDATE conversation SET waiting = ? WHERE id = ?", [.integer(Int64(count)), .text(id)])
    }

    /// The user has dropped a request on another device. If this one was away, others may have been dropped before, and
    /// all that wait must be asked anew.
    func dropRequest(_ id: String) throws(LocalFailure) {
        try database.run(
            "UPDATE conversation SET request = \(RequestState.dropped.rawValue) WHERE id = ? AND request IS NOT NULL",
            [.text(id)])
        try database.run(
            """
            UPDATE conversation SET is_stale = 1
            WHERE \(ConversationTable.isWaiting) AND NOT (SELECT is_live FROM identity)
            """)
    }

    /// Forgets a conversation with all that it has.
    func forget(_ id: String) throws(LocalFailure) {
        try database.run("DELETE FROM conversation WHERE id = ?", [.text(id)])
        try database.run("DELETE FROM message WHERE conversation = ?", [.text(id)])
        try database.run("DELETE FROM watermark WHERE conversation = ?", [.text(id)])
        try database.run("DELETE FROM pin WHERE conversation = ?", [.text(id)])
        try database.run("DELETE FROM line WHERE conversation = ?", [.text(id)])
    }

    // MARK: Watermarks

    /// The other members' receipts, as far as this device has got them.
    func watermarks(of conversation: String) throws(LocalFailure) -> [LocalWatermark] {
        try database.rows(
            """
            SELECT user, delivered, delivered_at, read, read_at FROM watermark WHERE conversation = ? ORDER BY user
            """,
            [.text(conversation)]
        ) { row in
            LocalWatermark(
                user: row.text(0), delivered: SequenceNumber(row.integer(1)),
                deliveredAt: row.isNull(2) ? nil : Timestamp(milliseconds: row.integer(2)),
                read: SequenceNumber(row.integer(3)),
                readAt: row.isNull(4) ? nil : Timestamp(milliseconds: row.integer(4)))
        }
    }

    /// Raises a watermark; they never fall.
    func raise(_ mark: LocalWatermark, in conversation: String) throws(LocalFailure) {
        func time(_ time: Timestamp?) -> LocalValue { time.map { .integer($0.milliseconds) } ?? .null }
        try database.run(
            """
            INSERT INTO watermark(conversation, user, delivered, delivered_at, read, read_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (conversation, user) DO UPDATE SET
                delivered_at = CASE WHEN excluded.delivered > delivered THEN excluded.delivered_at
                    ELSE coalesce(delivered_at, excluded.delivered_at) END,
                read_at = CASE WHEN excluded.read > read THEN excluded.read_at
                    ELSE coalesce(read_at, excluded.read_at) END,
                delivered = max(delivered, excluded.delivered),
                read = max(read, excluded.read)
            """,
            [
                .text(conversation), .text(mark.user), .integer(mark.delivered.value), time(mark.deliveredAt),
                .integer(mark.read.value), time(mark.readAt),
            ])
    }
}
