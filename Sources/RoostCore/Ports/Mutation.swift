import RoostWire

/// One change that a batch makes durable. A batch is applied in order and in one transaction, completely or not at all.
public enum Mutation: Sendable {
    /// A new user.
    case user(UserNumber, name: String)
    /// A user without any relation who never came: no device, and no conversation has or had the user as a member.
    case forgetUser(UserNumber)
    /// A new device, with the position where it begins.
    case device(DeviceNumber, user: UserNumber, name: String, cursor: Position)
    /// A device that was replaced by another. Its cursor is forgotten.
    case forgetDevice(DeviceNumber)
    /// A device has processed everything up to here. The cursor only rises, unless the device asked to go back.
    case cursor(DeviceNumber, Position)
    /// The end of the device's last connection; nil while it is connected. Ignored if the device was forgotten.
    case end(DeviceNumber, StoredEnd?)
    /// A member's watermarks in a conversation. Ignored if the user is no longer a member.
    case watermark(ConversationNumber, UserNumber, Watermark)
    /// The steps of a member's watermarks since they were stored last, in order. Ignored if the user is no longer a
    /// member.
    case steps(ConversationNumber, UserNumber, [ReceiptStep])
    /// The member has written to the conversation, or changed something in it, for the first time. Ignored if the user
    /// is no longer a member.
    case answered(ConversationNumber, UserNumber)
    /// Its receiver doesn't want to see a request. Ignored if the conversation isn't one any more.
    case dropRequest(ConversationNumber)
    /// A user's presence, and when the user was last seen.
    case presence(UserNumber, StoredPresence)
    /// A user's chosen status.
    case status(UserNumber, StoredStatus)
    /// A user's privacy settings.
    case privacy(UserNumber, PrivacySettings)
    /// A user's exception for one other user; nil removes it.
    case exception(UserNumber, of: UserNumber, PrivacyException?)
    /// A user's profile. No text of an older one is left.
    case profile(UserNumber, StoredProfile)
    /// The relation of two users; nil if there is none.
    case contact(UserPair, StoredContact?)
    /// A prospect of a user under this id; nil if removed.
    case prospect(UserNumber, id: String, StoredProspect?)
    /// An invitation of a user under this id; nil if there is none any more.
    case invite(UserNumber, id: String, StoredInvite?)
    /// Tokens of a user that were issued up to this time are no longer good; those of one device if it is named.
    case revoke(UserNumber, device: String?, Timestamp)
    /// Tokens of a sign-in are no longer good. It can be forgotten after this time.
    case endSignIn(String, until: Timestamp)
    /// Messages whose time has come by then disappear, the oldest first, up to `Limits.expiredAtOnce`: their bodies are
    /// erased. Answered by `Outcome.expired`.
    case expire(upTo: Timestamp)
    /// Ends of sign-ins up to this time can be forgotten.
    case forgetSignIns(upTo: Timestamp)
    /// A consumer of the feed has processed everything up to here; nil if it isn't needed any more.
    case feedCursor(String, Position?)
    /// A user's report, in place of what was stored under its number.
    case report(StoredReport)
    /// A report is forgotten.
    case forgetReport(Int64)
    /// The relay was alive at this time. After a crash, it is the last-seen time of users who were connected.
    case alive(Timestamp)
    /// A request for more numbers, answered by `Outcome.leased`. Stored only so that the numbers aren't given again.
    case lease(NumberKind)
    /// A durable event, answered by one of the other outcomes.
    case append(Append)
}

/// A member's watermarks in a conversation.
public struct Watermark: Hashable, Sendable {
    /// The last message that some device of the member has acked.
    public var delivered = SequenceNumber.none
    /// When `delivered` was set.
    public var deliveredAt = Timestamp.never
    /// The last message that the member has read.
    public var read = SequenceNumber.none
    /// When `read` was set.
    public var readAt = Timestamp.never
    /// Messages above `read` that the member wrote without reading what came before. They aren't unread.
    public var own = SequenceRanges()
    /// Messages of others up to `read` that the member wants to be unread again. Other users don't see it.
    public var marked = SequenceRanges()
    /// Nothing delivered, nothing read.
    public init() {}
}

/// The kind of a durable event in the log.
public enum EventKind: UInt8, Sendable {
    case message = 1
    case edit = 2
    case delete = 3
    case react = 4
    case conversation = 5
    /// A setting that follows its user. It has a position and no row in the log: of each key, the store keeps the
    /// newest value with the position at which it was set.
    case state = 6
}

extension EventKind {
    /// Whether it is a message or concerns one, so that only those get it who may see the message.
    public var isAboutMessage: Bool {
        switch self {
        case .message, .edit, .delete, .react: true
        case .conversation, .state: false
        }
    }
}

/// A durable event on its way to the log. The log assigns the position and, for a message, the sequence.
///
/// Copies share texts and body: an event is copied on its way from the Relay to the writer's thread, several times.
public struct Append: Sendable {
    /// The kind of event.
    public var kind: EventKind
    /// Message: the sender hasn't read what came before it. Delete: the sender may delete other members' messages.
    /// React: the reaction is taken back. Edit: the new body is a JSON string. State: the key must have the version
    /// `reference`. Conversation: it is created as a request to the user who didn't create it.
    public var flag = false
    /// Why it is handed in.
    public var purpose = Purpose.event
    /// The conversation it belongs to; `.none` in a probe whose command names none that exists.
    public var conversation: ConversationNumber
    /// The user who caused it.
    public var sender: UserNumber
    /// Message: the message it replies to. Edit, delete, react: the message it changes. Conversation: the message that
    /// is pinned or unpinned. State: with `flag`, the position at which the key was set, or `.none` if it must not be
    /// there. Otherwise `.none`.
    public var reference = SequenceNumber.none
    /// When the relay received it.
    public var time: Timestamp
    private var content: Content

    /// Creates an event with its essential members.
    public init(
        _ kind: EventKind, in conversation: ConversationNumber, by sender: UserNumber, device: String,
        at time: Timestamp
    ) {
        self.kind = kind
        self.conversation = conversation
        self.sender = sender
        self.time = time
        content = Content(device: device)
    }

    /// Name of the device that sent it.
    public var device: String {
        get { content.device }
        set { own().device = newValue }
    }

    /// The client's key; empty if there is none. For an opening: the key of the following message, under which the
    /// opening itself isn't stored.
    public var key: String {
        get { content.key }
        set { own().key = newValue }
    }

    /// Message: the kind of its body. Edit: ignored, the message's own kind counts. React: the reaction. Delete:
    /// why, as a word of `ReportReason`, or empty. State: the key.
    public var label: String {
        get { content.label }
        set { own().label = newValue }
    }

    /// Message, edit: the body, raw JSON. Conversation: members of the event, raw JSON without braces. State: the
    /// value, raw JSON; empty to remove the key.
    public var body: [UInt8] {
        get { content.body }
        set { own().body = newValue }
    }

    /// Message, edit: the parts of the message beside its body. Those of an edit replace the earlier ones.
    public var extras: Extras? {
        get { content.extras }
        set { own().extras = newValue }
    }

    /// Message, edit: the members mentioned in the extras, who have it unread; `.none` stands for all. Not stored.
    public var mentioned: [UserNumber] {
        get { content.mentioned }
        set { own().mentioned = newValue }
    }

    /// Message: the one that it forwards. The log takes the kind and the body from there; these are empty here. Of an
    /// opening, the one that the message behind it forwards: if that can't be forwarded, nothing is changed.
    public var source: ForwardedMessage? {
        get { content.source }
        set { own().source = newValue }
    }

    /// Edit: the version that the message must have; nil if any. Not stored.
    public var ifVersion: Int64? {
        get { content.ifVersion }
        set { own().ifVersion = newValue }
    }

    /// The user of the direct conversation who has blocked the sender and never gets the event; `.none` if there is
    /// none. The log keeps where the conversation ends for that user (`Veil`), and the extras say so, too. Not compared
    /// with what was stored under the key.
    public var withheldFrom: UserNumber {
        get { content.withheldFrom }
        set {
            own().withheldFrom = newValue
            if newValue != .none { extras = extras.withheld }
        }
    }

    /// Reaction, deletion, pin: the other user of the direct conversation, who doesn't get events about a withheld one;
    /// `.none` in a group. Not stored.
    public var peer: UserNumber {
        get { content.peer }
        set { if newValue != content.peer { own().peer = newValue } }
    }

    /// Users whose messages are hidden from the sender: of theirs, the event can't name any.
    public var hiddenAuthors: Set<UserNumber> {
        get { content.hiddenAuthors }
        set { if newValue != content.hiddenAuthors { own().hiddenAuthors = newValue } }
    }

    /// A change of the conversation that happens if and only if this event is stored.
    public var change: ConversationChange? {
        get { content.change }
        set { own().change = newValue }
    }

    /// The content of this copy alone.
    private mutating func own() -> Content {
        if !isKnownUniquelyReferenced(&content) { content = Content(content) }
        return content
    }

    /// `@unchecked Sendable`: changed only by `own()`, which first makes sure that it isn't shared.
    private final class Content: @unchecked Sendable {
        var device: String
        var key = ""
        var label = ""
        var body: [UInt8] = []
        var extras: Extras?
        var mentioned: [UserNumber] = []
        var source: ForwardedMessage?
        var ifVersion: Int64?
        var change: ConversationChange?
        var withheldFrom = UserNumber.none
        var peer = UserNumber.none
        var hiddenAuthors: Set<UserNumber> = []

        init(device: String) { self.device = device }

        init(_ other: Content) {
            device = other.device
            key = other.key
            label = other.label
            body = other.body
            extras = other.extras
            mentioned = other.mentioned
            source = other.source
            ifVersion = other.ifVersion
            change = other.change
            withheldFrom = other.withheldFrom
            peer = other.peer
            hiddenAuthors = other.hiddenAuthors
        }
    }
}

extension Append {
    /// Whether the edit is one of the version that the message has.
    public func mayEdit(_ version: Int64) -> Bool { ifVersion == nil || ifVersion == version }

    /// Whether a setting is the user's own, which count against its bound, and not one that the relay sets for it.
    public var isOwnSetting: Bool { label.utf8.first != UInt8(ascii: "@") }

    /// Why an event is handed in.
    public enum Purpose: Sendable {
        /// To be stored, unless its key was used before.
        case event
        /// Only to look for what was stored under its key: the command would be refused now, but a retry still gets
        /// its first answer. Nothing is stored; if the key is new, it is refused with `notFound`.
        case probe
        /// To create a direct conversation, or to bring users back into it, before a message that follows. It changes
        /// nothing if the message's key was used before, or if the conversation is there with all these users.
        case opening
    }
}

/// A change of the directory of conversations, together with the event that announces it.
public enum ConversationChange: Sendable {
    /// A new conversation. `pair` is set for a direct one. The members see it from its first message on.
    case create(id: String, kind: ConversationKind, name: String, members: [NewMember])
    case rename(String)
    /// Another photo or description of a group; nil for what stays as it is, empty for what it has no more.
    case describe(photo: String?, description: String?)
    /// New members. They see messages after `since`, get events from this one on, and their watermarks begin at the
    /// last message, without times.
    case add([NewMember])
    /// Removed members. They get events up to this one.
    case remove([UserNumber])
    /// A member who left. `heir` becomes owner.
    case leave(UserNumber, heir: UserNumber?)
    /// The last member left: the conversation is erased with all its rows, including this event.
    case erase
    /// New roles.
    case roles([NewMember])
    /// Later messages disappear after this number of milliseconds; 0 if they stay.
    case expiry(Int64)
    /// A message is pinned. The log refuses it with `notFound`, `gone`, or `tooLarge` if there are
    /// `Limits.pinsPerConversation`; nothing is stored if it is pinned already.
    case pin(SequenceNumber)
    /// It is no longer pinned. Nothing is stored if it wasn't.
    case unpin(SequenceNumber)
    /// A user is banned or timed out, or not any more if nil; for `.none`, only the owner and the admins may write. A
    /// banned member leaves as by `remove`. Nothing is stored if it is so already.
    case restrict(UserNumber, StoredRestriction?)
    /// A member may write once in this number of milliseconds; 0 without slow mode. A repetition isn't stored.
    case slow(Int64)
    /// Rule for users who follow links to the group. Nothing is stored if it is so already.
    case joining(JoiningRule)
    /// The receiver accepts a request, or its sender writes more when the two know each other. So does every other
    /// event of the receiver in it.
    case accept
}

extension ConversationChange {
    /// Whether it ends a request.
    public var isAcceptance: Bool {
        if case .accept = self { true } else { false }
    }

    /// Whether users become members by it.
    var isOpening: Bool {
        switch self {
        case .create, .add: true
        default: false
        }
    }

    /// The user that it bans; nil if it bans none.
    public var banned: UserNumber? {
        if case .restrict(let user, let restriction?) = self, restriction.isBan { user } else { nil }
    }

    /// Whether it creates a direct conversation.
    public var isDirect: Bool {
        if case .create(_, .direct, _, _) = self { true } else { false }
    }
}

extension Watermark {
    /// Messages that are withheld from the member, or that it wrote without reading, aren't unread. Of too many
    /// stretches, the oldest counts as read.
    public mutating func pass(_ messages: ClosedRange<Int64>) {
        guard messages.upperBound > read.value else { return }
        guard let oldest = own.insert(messages) else { return own.keep(above: read) }
        read = max(read, oldest)
        delivered = max(delivered, read)
        own.keep(above: read)
    }
}

/// A request as it is stored.
public struct StoredRequest: Hashable, Sendable {
    /// The user who may accept it.
    public var receiver: UserNumber
    /// Whether the receiver has dropped it.
    public var isDropped: Bool
    /// Creates one.
    public init(to receiver: UserNumber, isDropped: Bool = false) {
        self.receiver = receiver
        self.isDropped = isDropped
    }
}

/// A member and the member's new role.
public struct NewMember: Hashable, Sendable {
    /// The user.
    public var user: UserNumber
    /// The role.
    public var role: MemberRole
    /// Messages up to this one are not shown to the member; `fromNow` until the event is stored.
    public var since: SequenceNumber

    /// Stands for the last message before the event by which the member joins. That isn't known before it is stored.
    public static let fromNow = SequenceNumber(Int64.max)

    /// `since`, once the last message before the event is known.
    public func since(after last: SequenceNumber) -> SequenceNumber { since == NewMember.fromNow ? last : since }

    /// Creates a member.
    public init(_ user: UserNumber, _ role: MemberRole, since: SequenceNumber = .none) {
        self.user = user
        self.role = role
        self.since = since
    }
}

/// The outcome of one append, in the order of the appends of the batch. Leases and what has disappeared follow after
/// them, in the order in which they were requested.
public enum Outcome: Sendable, Equatable {
    /// The event was stored. `sequence` is that of the message itself or of the message it changes; for a conversation
    /// event, that of the last message.
    case stored(Position, SequenceNumber, Supplement = .nothing)
    /// The same command was stored before under its key, or a setting has this value. This is what was stored then;
    /// nothing was changed now.
    indirect case duplicate(
        Position, SequenceNumber, ConversationNumber, Timestamp, RepeatedMessage? = nil)
    /// The event would change nothing (the message is already deleted or pinned, the reaction exists, there is no such
    /// setting to remove), so nothing was stored.
    case unchanged
    /// The log's state doesn't allow it: `notFound`, `gone`, `forbidden`, `tooLarge`, `badRequest`, and `conflict` if a
    /// setting has another version. Because of its key: `conflict` if another command was stored under it, `gone` if
    /// what was stored under it was erased.
    case refused(ErrorCode)
    /// Numbers that this relay may assign; empty if the store has no more.
    case leased(NumberKind, Range<Int32>)
    /// Messages that have disappeared, and when the next one will; `.never` if none is left.
    case expired([ExpiredMessage], next: Timestamp)

    /// Whether an event was stored.
    var isStored: Bool {
        if case .stored = self { true } else { false }
    }

    /// The author of the pinned message; `.none` for another event.
    public var author: UserNumber {
        if case .stored(_, _, .pin(let author, _)) = self { author } else { .none }
    }

    /// Whether the log withholds the event, because of what it is about.
    public var isWithheld: Bool {
        switch self {
        case .stored(_, _, .withheld), .stored(_, _, .pin(_, isWithheld: true)): true
        default: false
        }
    }

    /// Whether it is the outcome of an append.
    var isOfEvent: Bool {
        switch self {
        case .leased, .expired: false
        default: true
        }
    }
}

/// A message that has disappeared.
public struct ExpiredMessage: Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationNumber
    /// The message.
    public var sequence: SequenceNumber
    /// Its time.
    public var expires: Timestamp
    /// Creates one.
    public init(_ conversation: ConversationNumber, _ sequence: SequenceNumber, _ expires: Timestamp) {
        self.conversation = conversation
        self.sequence = sequence
        self.expires = expires
    }
}
