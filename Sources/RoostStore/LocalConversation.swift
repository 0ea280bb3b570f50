public import RoostWire

/// A conversation as this device knows it.
public struct LocalConversation: Sendable, Equatable, Identifiable {
    /// Its id on the wire, an opaque string.
    public var id: String
    /// Direct or group.
    public var kind: ConversationKind
    /// The name of a group; nil for a direct conversation.
    public var name: String?
    /// The user's own role.
    public var role: MemberRole
    /// Number of members.
    public var count: Int
    /// The names of the first 50 members.
    public var members: [String]
    /// The first message that the user may see: there is nothing before it.
    public var first: SequenceNumber
    /// The last message; zero if there is none.
    public var sequence: SequenceNumber
    /// The last message that the user has read.
    public var read: SequenceNumber
    /// Number of messages that the user hasn't read.
    public var unread: Int
    /// Number of those that mention the user, by name or with all others; of very many, only the newest are counted.
    public var mentions: Int
    /// The first of these; nil if there is none.
    public var firstMention: SequenceNumber?
    /// Milliseconds after which messages that are sent from now on disappear; 0 if they stay.
    public var expiry: Int64
    /// The rule for which members may write.
    public var posting: PostingRule
    /// Milliseconds between two messages of a member who is neither owner nor admin; 0 for none.
    public var slow: Int64 = 0
    /// Rule for users who follow its links.
    public var joining = JoiningRule.open
    /// Number of users who wait to join; 0 unless the user is its owner or an admin.
    public var waiting = 0
    /// Until when the user can't write, and why; nil if it isn't timed out. It may be over.
    public var timeout: MemberTimeout?
    /// The state of a message request, until both have accepted; nil for an ordinary conversation.
    public var request: RequestState?
    /// By whose link the user of this device, or the other one, came into it; nil if by none.
    public var inviter: String?
    /// When the last durable event happened.
    public var time: Timestamp
    /// Whether something of it must be asked anew, because it was left out.
    public var isStale: Bool

    /// Whether it waits for the user to accept it, or was dropped: then it is listed apart, or not at all, and what is
    /// unread there counts nowhere.
    public var isAside: Bool { request == .received || request == .dropped }

    /// Whether to read up to this message changes anything: also if it was read and is marked as unread.
    func isUnread(_ sequence: SequenceNumber) -> Bool {
        sequence > read || unread > 0 && sequence >= self.sequence
    }

    /// Notes a message or a change by a user. A request ends with the first one of its receiver.
    mutating func noteDeed(by name: String, of user: String) {
        guard let request, (request == .sent) == (name != user) else { return }
        self.request = nil
    }

    /// Why the user can't write to it now; nil if it can. The relay refuses what is sent nevertheless. A time-out ends
    /// by itself: ask again at its end.
    /// - Parameter now: by the relay's clock.
    public func barrier(at now: Timestamp) -> WritingBarrier? {
        guard role < .owner else { return nil }
        if let timeout, timeout.until > now { return .timedOut(timeout) }
        return posting == .admins && role < .admin ? .announcements : nil
    }

    /// The time when the user may write the next message; nil if at once. An earlier message waits in the outbox until
    /// then.
    /// - Parameters:
    ///   - last: when the user's last message was stored.
    ///   - now: by the relay's clock.
    public func pause(after last: Timestamp?, at now: Timestamp) -> Timestamp? {
        guard slow > 0, role < .admin, let last, last <= now else { return nil }
        let end = Timestamp(milliseconds: last.milliseconds &+ slow)
        return end > now ? end : nil
    }

    /// Whether a message is neither shown nor counted: it was written in a direct conversation while this user had
    /// blocked its author. In a group such a message has a place that is shown.
    public func leavesOut(_ message: LocalMessage) -> Bool { kind == .direct && message.isHidden }

    /// The other user of a direct conversation; nil for a group.
    /// - Parameter user: the user of this device.
    public func peer(of user: String) -> String? {
        kind == .direct ? members.first { $0 != user } : nil
    }

    init(
        id: String, kind: ConversationKind, name: String? = nil, role: MemberRole = .member, count: Int,
        members: [String],
        first: SequenceNumber = SequenceNumber(1), sequence: SequenceNumber, time: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.role = role
        self.count = count
        self.members = members
        self.first = first
        self.sequence = sequence
        read = .none
        unread = 0
        mentions = 0
        expiry = 0
        posting = .all
        self.time = time
        isStale = false
    }
}

/// Why a user can't write to a conversation.
public enum WritingBarrier: Sendable, Equatable {
    /// Only the owner and the admins write in the group.
    case announcements
    /// The user is timed out.
    case timedOut(MemberTimeout)
}

/// A message that the relay has stored, as this device knows it.
public struct LocalMessage: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// Its number in the conversation.
    public var sequence: SequenceNumber
    /// The author's key for it; nil if the author is another user.
    public var key: String?
    /// The author; empty if the message is hidden, or if the relay has lost it.
    public var from: String
    /// When it was stored.
    public var time: Timestamp
    /// `text`, or a kind of the author's application.
    public var kind: String
    /// The body; nil if the message was deleted or lost, is hidden, or has disappeared.
    public var body: MessageBody?
    /// The message that it replies to.
    public var replyTo: SequenceNumber?
    /// When it was last edited.
    public var editedAt: Timestamp?
    /// 1, and one more for each edit.
    public var version: Int64 = 1
    /// When it was deleted.
    public var deletedAt: Timestamp?
    /// The reactions.
    public var reactions: [ReactionCount]
    /// Whether the reactions must be asked anew: others reacted, and `history` counts.
    public var isStale: Bool
    /// Names of the mentioned users; `@all` stands for all members.
    public var mentions: [String] = []
    /// When it disappears, by the relay's clock; nil if it stays. From then on it looks like a deleted one.
    public var expires: Timestamp?
    /// Whether the user has blocked the author, or had when it was written in a direct conversation: then it is only a
    /// place, without author and body.
    public var isHidden = false
    /// The message with which the thread began that it belongs to; nil if it is in none.
    public var thread: SequenceNumber?
    /// The thread that began with it; nil if there is none.
    public var replies: ThreadSummary?
    /// The user who wrote what it forwards; nil if it forwards nothing.
    public var origin: String?

    /// Whether the relay can't show it any more, because it is damaged in the relay's store.
    public var isLost: Bool { from.isEmpty && !isHidden }
}

/// Another member's receipts in a conversation.
public struct LocalWatermark: Sendable, Equatable {
    /// The member.
    public var user: String
    /// The last message that some device of the member has.
    public var delivered: SequenceNumber
    /// Since when.
    public var deliveredAt: Timestamp?
    /// The last message that the member has read.
    public var read: SequenceNumber
    /// Since when.
    public var readAt: Timestamp?
}
