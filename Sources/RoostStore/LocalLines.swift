public import RoostWire

/// Something that has happened to a conversation beside its messages, which apps show as a line between them.
public struct ConversationLine: Sendable, Hashable, Identifiable {
    /// The kind of change.
    public enum Event: Sendable, Hashable {
        /// The conversation began, or the group was created.
        case created
        /// `count` users were added; the first five by their ids.
        case added(users: [String], count: Int)
        /// `count` users were removed; the first five by their ids.
        case removed(users: [String], count: Int)
        /// `by` left. If there is a new owner, it is this user.
        case left(owner: String?)
        /// The group's new name, as it was then.
        case renamed(String)
        /// The group has another photo or description.
        case described
        /// This user has a new role.
        case role(user: String, MemberRole)
        /// Messages from then on disappear after so many milliseconds; 0 if they stay.
        case expiry(Int64)
        /// This message was pinned.
        case pinned(SequenceNumber)
        /// `count` users can't come back; the first five by their ids.
        case banned(users: [String], count: Int, ReportReason?)
        /// This user may come back.
        case unbanned(user: String)
        /// This member can't write until then; nil if it can again.
        case timeout(user: String, MemberTimeout?)
        /// These members may write from then on.
        case posting(PostingRule)
        /// A member may write once in so many milliseconds from then on; 0 for as often as it wants.
        case slow(Int64)
        /// People come by links in this way from then on.
        case joining(JoiningRule)
    }

    /// The event's place in the order of all events. Opaque.
    public var id: String
    /// The last message before it: the line is behind that.
    public var sequence: SequenceNumber
    /// When it happened.
    public var time: Timestamp
    /// The user who did it.
    public var by: String
    /// The change.
    public var event: Event

    /// Most users named in a line.
    static let usersMax = 5

    /// The line of an event; nil if an app shows none.
    init?(_ event: ConversationEvent) {
        switch event.change {
        case .created: self.event = .created
        case .added(let users, _): self.event = .added(users: users, count: users.count)
        case .removed(let users) where event.isBan:
            self.event = .banned(users: users, count: users.count, event.reason)
        case .removed(let users): self.event = .removed(users: users, count: users.count)
        case .left(let owner): self.event = .left(owner: owner)
        case .renamed(let name): self.event = .renamed(name)
        case .described: self.event = .described
        case .role(let user, let role): self.event = .role(user: user, role)
        case .expiry(let milliseconds): self.event = .expiry(LocalConversation.sound(milliseconds))
        case .pinned(let sequence): self.event = .pinned(sequence)
        case .banned(let user): self.event = .banned(users: [user], count: 1, event.reason)
        case .unbanned(let user): self.event = .unbanned(user: user)
        case .timeout(let user, let timeout): self.event = .timeout(user: user, timeout)
        case .posting(let rule): self.event = .posting(rule)
        case .joining(let rule): self.event = .joining(rule)
        case .slow(let milliseconds): self.event = .slow(LocalConversation.sound(milliseconds))
        case .unpinned, .accepted: return nil
        }
        (id, sequence, time, by) = (event.position, event.sequence, event.time, event.by)
    }

    /// A line of a preview, or of an own change.
    public init(id: String, sequence: SequenceNumber, time: Timestamp, by: String, event: Event) {
        (self.id, self.sequence, self.time, self.by, self.event) = (id, sequence, time, by, event)
    }

    /// The users whose names it shows.
    public var people: [String] {
        switch event {
        case .added(let users, _), .removed(let users, _), .banned(let users, _, _): [by] + users
        case .left(let owner): [by] + (owner.map { [$0] } ?? [])
        case .role(let user, _), .unbanned(let user), .timeout(let user, _): [by, user]
        case .created, .renamed, .described, .expiry, .pinned, .posting, .slow, .joining: [by]
        }
    }
}

/// The lines of conversations: of events, and of pages of history. It belongs to the thread of its store.
public final class LocalLines {
    private let database: LocalDatabase

    init(database: LocalDatabase) { self.database = database }

    /// Most lines of a conversation: as many as fit on some screens. The oldest go first.
    static let most: Int64 = 32

    static let migrations = [
        LocalMigration(
            name: "17 lines",
            sql: """
                CREATE TABLE line(
                    conversation TEXT NOT NULL,
                    position TEXT NOT NULL,
                    sequence INTEGER NOT NULL,
                    time INTEGER NOT NULL,
                    author TEXT NOT NULL,
                    event INTEGER NOT NULL,
                    users TEXT NOT NULL,
                    text TEXT,
                    number INTEGER NOT NULL,
                    reason INTEGER,
                    PRIMARY KEY(conversation, position)
                ) STRICT, WITHOUT ROWID
                """)
    ]

    /// The changes to a conversation behind these messages, oldest first.
    public func lines(
        of conversation: String, behind range: ClosedRange<SequenceNumber>
    ) throws(LocalFailure) -> [ConversationLine] {
        try database.rows(
            """
            SELECT position, sequence, time, author, event, users, text, number, reason FROM line
            WHERE conversation = ? AND sequence BETWEEN ? AND ? ORDER BY sequence, time, position
            """,
            [.text(conversation), .integer(range.lowerBound.value), .integer(range.upperBound.value)], LocalLines.line
        ).compactMap { $0 }
    }

    private static func line(_ row: LocalStatement) -> ConversationLine? {
        let users = row.text(5).split(separator: " ").map(String.init)
        let (text, number) = (row.isNull(6) ? nil : row.text(6), row.integer(7))
        let reason = row.isNull(8) ? nil : ReportReason(rawValue: UInt8(clamping: row.integer(8)))
        let event: ConversationLine.Event? =
            switch row.integer(4) {
            case 0: .created
            case 1: .added(users: users, count: Int(clamping: number))
            case 2: .removed(users: users, count: Int(clamping: number))
            case 3: .left(owner: text)
            case 4: .renamed(text ?? "")
            case 5: .described
            case 6: MemberRole(rawValue: UInt8(clamping: number)).map { .role(user: text ?? "", $0) }
            case 7: .expiry(number)
            case 8: .pinned(SequenceNumber(number))
            case 9: .banned(users: users, count: Int(clamping: number), reason)
            case 10: .unbanned(user: text ?? "")
            case 11: .timeout(user: text ?? "", number == 0 ? nil : timeout(number, reason))
            case 12: PostingRule(rawValue: UInt8(clamping: number)).map { .posting($0) }
            case 13: .slow(number)
            case 14: JoiningRule(rawValue: UInt8(clamping: number)).map { .joining($0) }
            default: nil
            }
        return event.map { event in
            ConversationLine(
                id: row.text(0), sequence: SequenceNumber(row.integer(1)),
                time: Timestamp(milliseconds: row.integer(2)), by: row.text(3), event: event)
        }
    }

    /// Keeps what the user has just done to a conversation, of which no event comes to this device.
    /// - Parameter position: the event's, as the relay's answer names it.
    public func note(
        _ event: ConversationLine.Event, by user: String, in conversation: String, at position: String,
        _ time: Timestamp
    ) throws(LocalFailure) {
        try database.transaction { () throws(LocalFailure) in
            let sequences = try database.rows(
                "SELECT sequence FROM conversation WHERE id = ?", [.text(conversation)]
            ) { SequenceNumber($0.integer(0)) }
            guard let sequence = sequences.first else { return }
            try put(
                ConversationLine(id: position, sequence: sequence, time: time, by: user, event: event), in: conversation
            )
        }
    }

    /// Keeps the line of an event, if it has one. In a transaction of the caller's.
    func take(_ event: ConversationEvent) throws(LocalFailure) {
        if let line = ConversationLine(event) { try put(line, in: event.conversation) }
    }

    // An event that is repeated has its position.
    private func put(_ line: ConversationLine, in conversation: String) throws(LocalFailure) {
        let row = LocalLines.row(line.event)
        try database.run(
            "INSERT OR IGNORE INTO line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .text(conversation), .text(line.id), .integer(line.sequence.value),
                .integer(line.time.milliseconds), .text(line.by), .integer(row.kind),
                .text(row.users.prefix(ConversationLine.usersMax).joined(separator: " ")),
                row.text.map { .text($0) } ?? .null, .integer(row.number),
                row.reason.map { .integer(Int64($0.rawValue)) } ?? .null,
            ])
        try database.run(
            """
            DELETE FROM line WHERE conversation = ?1 AND position IN (
                SELECT position FROM line WHERE conversation = ?1
                ORDER BY sequence DESC, time DESC, position DESC LIMIT -1 OFFSET \(LocalLines.most))
            """,
            [.text(conversation)])
    }

    private struct Row {
        // The numbers are for ever.
        var kind: Int64
        var users: [String] = []
        var text: String?
        var number: Int64 = 0
        var reason: ReportReason?
    }

    private static func timeout(_ until: Int64, _ reason: ReportReason?) -> MemberTimeout {
        MemberTimeout(until: Timestamp(milliseconds: until), reason: reason)
    }

    private static func row(_ event: ConversationLine.Event) -> Row {
        switch event {
        case .created: Row(kind: 0)
        case .added(let users, let count): Row(kind: 1, users: users, number: Int64(count))
        case .removed(let users, let count): Row(kind: 2, users: users, number: Int64(count))
        case .left(let owner): Row(kind: 3, text: owner)
        case .renamed(let name): Row(kind: 4, text: name)
        case .described: Row(kind: 5)
        case .role(let user, let role): Row(kind: 6, text: user, number: Int64(role.rawValue))
        case .expiry(let milliseconds): Row(kind: 7, number: milliseconds)
        case .pinned(let sequence): Row(kind: 8, number: sequence.value)
        case .banned(let users, let count, let reason):
            Row(kind: 9, users: users, number: Int64(count), reason: reason)
        case .unbanned(let user): Row(kind: 10, text: user)
        case .timeout(let user, let timeout):
            Row(kind: 11, text: user, number: timeout?.until.milliseconds ?? 0, reason: timeout?.reason)
        case .posting(let rule): Row(kind: 12, number: Int64(rule.rawValue))
        case .slow(let milliseconds): Row(kind: 13, number: milliseconds)
        case .joining(let rule): Row(kind: 14, number: Int64(rule.rawValue))
        }
    }
}
