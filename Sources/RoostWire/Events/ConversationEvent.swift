/// A change of a conversation.
public struct ConversationEvent: Sendable, Equatable {
    /// The kind of change.
    public enum Change: Sendable, Equatable {
        /// The conversation was created, or this user was added to it.
        case created(ConversationOutline)
        /// The conversation has a new name.
        case renamed(String)
        /// The group has another photo or description; nil for what stays as it was, empty for what it has no more.
        case described(photo: String?, description: String?)
        /// These users were added. For those who are new to it, the outline says what they are in now.
        case added([String], ConversationOutline?)
        /// These users were removed.
        case removed([String])
        /// `by` left. If there is a new owner, it is this user.
        case left(owner: String?)
        /// This user has a new role.
        case role(user: String, MemberRole)
        /// Later messages disappear after this number of milliseconds; 0 if they stay.
        case expiry(Int64)
        /// This message is pinned. A device that isn't shown it leaves it out.
        case pinned(SequenceNumber)
        /// This message is no longer pinned. A deletion or disappearance sends no such event.
        case unpinned(SequenceNumber)
        /// This user, who had left before, can't come back.
        case banned(String)
        /// This user can come back.
        case unbanned(String)
        /// This member can't write until then; nil if it can again.
        case timeout(user: String, MemberTimeout?)
        /// These members may write from now on.
        case posting(PostingRule)
        /// A member may write once in this number of milliseconds from now on; 0 without slow mode.
        case slow(Int64)
        /// People come by links in this way from now on.
        case joining(JoiningRule)
        /// `by` has accepted what a stranger has begun.
        case accepted
    }

    /// The words on the wire for what happened.
    enum Word: String, CaseIterable {
        case created, renamed, described, added, removed, left, role, expiry, pinned, unpinned, accepted
        case banned, unbanned, timeout, posting, slow, joining
    }

    /// The id of the conversation.
    public var conversation: String
    /// The last message before it.
    public var sequence: SequenceNumber
    /// The event's place in the order of all events. Opaque.
    public var position: String
    /// The user who caused the event.
    public var by: String
    /// When it happened.
    public var time: Timestamp
    /// The change.
    public var change: Change
    /// Created, added: the number of unread messages of those who joined by it.
    public var unread: Int64?
    /// Created, added: the read watermark of those who joined by it.
    public var read: SequenceNumber?
    /// Removed: whether those who were can't come back.
    public var isBan = false
    /// Removed, banned, timeout: why, if that was said.
    public var reason: ReportReason?
}

extension ConversationEvent {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let sequence = members.sequence("sequence"),
            let position = members.string("position"), let by = members.string("by"),
            let time = members.time("time"), let word = members.string("event").flatMap(Word.init(rawValue:)),
            let change = Change(word, members)
        else { return nil }
        self.conversation = conversation
        self.sequence = sequence
        self.position = position
        self.by = by
        self.time = time
        self.change = change
        unread = members.integer("unread")
        read = members.sequence("read")
        isBan = members.flag("banned") ?? false
        reason = members.word("reason")
    }
}

extension ConversationEvent.Change {
    init?(_ word: ConversationEvent.Word, _ members: JSONMembers) {
        let change: ConversationEvent.Change? =
            switch word {
            case .created: ConversationOutline(reading: members).map { .created($0) }
            case .renamed: members.string("name").map { .renamed($0) }
            case .described:
                .described(photo: members.string("photo"), description: members.string("description"))
            case .added: .added(members.strings("users"), ConversationOutline(reading: members))
            case .removed: .removed(members.strings("users"))
            case .left: .left(owner: members.string("owner"))
            case .accepted: .accepted
            case .expiry: members.integer("after").map { .expiry($0) }
            case .pinned: members.sequence("pin").map { .pinned($0) }
            case .unpinned: members.sequence("pin").map { .unpinned($0) }
            case .banned: members.string("user").map { .banned($0) }
            case .unbanned: members.string("user").map { .unbanned($0) }
            case .timeout: members.string("user").map { .timeout(user: $0, MemberTimeout(reading: members)) }
            case .joining: members.word("joining").map { .joining($0) }
            case .slow: members.integer("after").map { .slow($0) }
            case .posting: members.word("posting").map { .posting($0) }
            case .role: members.string("user").flatMap { user in members.word("role").map { .role(user: user, $0) } }
            }
        guard let change else { return nil }
        self = change
    }
}

/// The members of a conversation that all its users may know.
public struct ConversationOutline: Sendable, Equatable {
    /// Direct or group.
    public var kind: ConversationKind
    /// The name of a group; nil for a direct conversation.
    public var name: String?
    /// The identifier of a group's photo; nil if it has none. Its meaning is up to the clients.
    public var photo: String?
    /// The description of a group; nil if it has none.
    public var description: String?
    /// Time of its creation; nil if the event doesn't contain it, as the event that creates it doesn't.
    public var createdAt: Timestamp?
    /// Number of members.
    public var count: Int
    /// The names of the first 50 members.
    public var members: [String]
    /// Whether it waits until the user who didn't create it accepts it.
    public var isRequest: Bool
    /// The maker of the link by which the new members came; nil if there was none, or it isn't shown.
    public var inviter: String?
}

extension ConversationOutline {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let kind: ConversationKind = members.word("kind") else { return nil }
        self.kind = kind
        name = members.string("name")
        photo = members.string("photo")
        description = members.string("description")
        createdAt = members.time("createdAt")
        count = members.count("count") ?? 0
        self.members = members.strings("members")
        isRequest = members.flag("request") ?? false
        inviter = members.string("inviter")
    }
}
