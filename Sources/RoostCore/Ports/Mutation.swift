import RoostWire

/// One thing that a batch makes durable. A batch is applied in order, in one transaction, whole or not at all.
public enum Mutation: Sendable {
    /// A user that was not known before.
    case user(UserNumber, name: String)
    /// A device that was not known before, with where it begins.
    case device(DeviceNumber, user: UserNumber, name: String, cursor: Position)
    /// A device that gave way to another: its cursor is forgotten.
    case forgetDevice(DeviceNumber)
    /// A device has processed everything up to here. Only ever rises, unless the device asked to go back.
    case cursor(DeviceNumber, Position)
    /// A member's delivered and read watermarks in a conversation. Ignored if no longer a member.
    case watermark(ConversationNumber, UserNumber, Watermark)
    /// Whether a user is online now, and when last seen otherwise.
    case presence(UserNumber, isOnline: Bool, lastSeen: Timestamp)
    /// The relay was alive at this time: after a crash, the last-seen time of whoever was online.
    case alive(Timestamp)
    /// More numbers are wanted: answered by `Outcome.leased`. Nothing is stored but that they are taken.
    case lease(NumberKind)
    /// A durable event: answered by one of the other outcomes.
    case append(Append)
}

/// How far a member has got in a conversation.
public struct Watermark: Hashable, Sendable {
    /// Some device of the member has acked this message.
    public var delivered = SequenceNumber.none
    /// When that was noted.
    public var deliveredAt = Timestamp.never
    /// The member has read up to this message.
    public var read = SequenceNumber.none
    /// When that was noted.
    public var readAt = Timestamp.never
    /// Nothing delivered, nothing read.
    public init() {}
}

/// What kind of durable event a log row is.
public enum EventKind: UInt8, Sendable {
    case message = 1
    case edit = 2
    case delete = 3
    case react = 4
    case conversation = 5
}

/// A durable event on its way to the log. The log assigns position and, to messages, sequence.
public struct Append: Sendable {
    /// What it is.
    public var kind: EventKind
    /// Where it belongs.
    public var conversation: ConversationNumber
    /// Who caused it.
    public var sender: UserNumber
    /// Name of the sending device.
    public var device: String
    /// The client's key; empty for none. (sender, key) is unique for ever.
    public var key: String
    /// Message: what kind of body. Edit: ignored, the message's own is used. React: the reaction.
    public var label: String
    /// Message: the message replied to. Edit, delete, react: the message meant. Otherwise `.none`.
    public var reference: SequenceNumber
    /// Message, edit: the body, raw JSON. Conversation: members of the event, raw JSON without braces.
    public var body: [UInt8]
    /// Delete: the sender may delete what others wrote. React: take back. Edit: the new body is a JSON string.
    public var flag: Bool
    /// Only what was stored under its key is wanted: the sender may not write there any more, but a retry still gets
    /// its first answer. Nothing new is stored; refused with `notFound`.
    public var isProbe: Bool
    /// When the relay took it.
    public var time: Timestamp
    /// What becomes of the conversation if, and only if, this event is stored.
    public var change: ConversationChange?

    /// An event with nothing but the essentials.
    public init(
        _ kind: EventKind, in conversation: ConversationNumber, by sender: UserNumber, device: String,
        at time: Timestamp
    ) {
        self.kind = kind
        self.conversation = conversation
        self.sender = sender
        self.device = device
        self.time = time
        key = ""
        label = ""
        reference = .none
        body = []
        flag = false
        isProbe = false
    }
}

/// A change of the directory of conversations, bound to the event that announces it.
public enum ConversationChange: Sendable {
    /// A new conversation. `pair` is set for a direct one; the members begin at its first message.
    case create(id: String, kind: ConversationKind, name: String, members: [NewMember])
    case rename(String)
    /// New members: what they may see begins after `since`, what they are sent begins with this event, and their
    /// watermarks begin at the last message, without times.
    case add([NewMember])
    /// Members who were removed: they are told of events up to this one.
    case remove([UserNumber])
    /// A member left; `heir` becomes owner.
    case leave(UserNumber, heir: UserNumber?)
    /// The last member left: the conversation and all its rows go, this event included.
    case erase
    /// New roles.
    case roles([NewMember])
}

/// A member and the role it gets.
public struct NewMember: Hashable, Sendable {
    /// Who.
    public var user: UserNumber
    /// As what.
    public var role: Role
    /// Messages up to this one are not shown to it.
    public var since: SequenceNumber

    /// Puts a member together.
    public init(_ user: UserNumber, _ role: Role, since: SequenceNumber = .none) {
        self.user = user
        self.role = role
        self.since = since
    }
}

/// What became of one append, in the order of the appends of the batch; behind them, what was leased, in the order in
/// which it was asked for.
public enum Outcome: Sendable, Equatable {
    /// Stored. `sequence` is the message's own, or that of the message meant; for a conversation event the last one.
    /// `label` is the message's kind where the event is an edit.
    case stored(Position, SequenceNumber, label: String = "")
    /// The key was used before: what was stored then. Nothing was changed now.
    case duplicate(Position, SequenceNumber, ConversationNumber, Timestamp)
    /// It changes nothing (deleted already, same reaction again): nothing was stored.
    case unchanged
    /// Not allowed by what the log knows: `notFound`, `gone`, `forbidden`, `tooLarge`, `badRequest`.
    case refused(ErrorCode)
    /// Numbers that this relay may give out; empty if the store has no more.
    case leased(NumberKind, Range<Int32>)

    var isLease: Bool {
        if case .leased = self { true } else { false }
    }
}
